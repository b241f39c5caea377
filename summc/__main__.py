"""``python -m summc`` is ``summc``."""

from __future__ import annotations

import gc
import signal

#: Python looks for circles of dead objects after so many new ones. Documents are millions of objects, none in
#: a circle: to look as often as it does by itself would be a fifth of the time.
_OBJECTS, _LOOKS = 100_000, 50


def main() -> None:
    """Run summc; a signal that comes before it has begun ends it as any program."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(_OBJECTS, _LOOKS, _LOOKS)
    from summc.cli import main as run  # noqa: PLC0415 (takes long enough to be interrupted)

    run()


if __name__ == "__main__":  # worker processes import this too
    main()
