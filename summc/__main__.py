"""``python -m summc`` is ``summc``."""

from __future__ import annotations

import signal


def main() -> None:
    """Run summc; a signal that comes before it has begun ends it as any program."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from summc.cli import main as run  # noqa: PLC0415 (takes long enough to be interrupted)

    run()


if __name__ == "__main__":  # worker processes import this too
    main()
