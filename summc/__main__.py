"""``python -m summc`` is ``summc``."""

from summc.cli import main

if __name__ == "__main__":  # worker processes import this too
    main()
