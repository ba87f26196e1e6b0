"""`python -m crosswalk_client` is the program `crosswalk`."""

import sys

from crosswalk_client.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
