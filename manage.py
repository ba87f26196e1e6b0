#!/usr/bin/env python
"""Django's command line, with Crosswalk's settings."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if sys.argv[1:2] == ["serve"]:
        # The keeper lives as long as the server and needs no Django, which takes seconds to load and 100 MB.
        from config.serving import main

        sys.exit(main(sys.argv[2:]))
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
