"""Make the description of the package from README.md, for package indexes.

There a relative link or picture leads nowhere. So pictures are left out, and of relative links only the words
are kept.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"^\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?\n\n", re.MULTILINE)
_RELATIVE_LINK = re.compile(r"\[([^\]]*)\]\((?!https?://)[^)]*\)")


class Description(MetadataHookInterface):
    """Hatchling's metadata hook: the description that a package carries."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the description to the metadata of the package."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = _RELATIVE_LINK.sub(r"\1", _PICTURE.sub("", text))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
