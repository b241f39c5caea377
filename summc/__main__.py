"""``python -m summc`` is ``summc``."""

from summc.cli import main

main()
