"""The version of this package, for the program and for whoever reads the server's log."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("crosswalk-client")
except PackageNotFoundError:
    # It is used from the source folder.
    VERSION = "0.0.0+source"
