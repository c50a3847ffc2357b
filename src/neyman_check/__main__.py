"""``python -m neyman_check``."""

import sys

from neyman_check.cli import main

if __name__ == "__main__":
    sys.exit(main())
