"""The ``sqlthrottle`` command: ``python -m sqlthrottle``."""

from __future__ import annotations

import signal
import sys

from . import _native


def main() -> int:
    """Runs the command with the arguments of the process, and returns its exit code."""
    # It runs in native code, where no handler of Python's would be called: an interrupt ends it, as it ends any command.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.run(["sqlthrottle", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
