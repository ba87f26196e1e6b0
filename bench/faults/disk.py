"""A small filesystem that can be filled, and emptied again."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

PIECE = 64 * 1024


class SmallDisk:
    """A filesystem in memory at the folder, where this account may mount one; else only the folder.

    Attributes:
        is_mounted: Whether it can be filled.
    """

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.folder = folder
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0711", "tmpfs", str(folder)]
        self.is_mounted = (
            os.geteuid() == 0 and subprocess.run(command, check=False, capture_output=True).returncode == 0
        )
        folder.chmod(0o711)

    def fill(self) -> None:
        """Write until there is no room for one more byte."""
        left = os.open(self.folder / "filler", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            for size in (PIECE, 1):
                with suppress(OSError):
                    while os.write(left, bytes(size)):
                        pass
        finally:
            os.close(left)

    def empty(self) -> None:
        (self.folder / "filler").unlink(missing_ok=True)

    def unmount(self) -> None:
        if self.is_mounted:
            subprocess.run(["umount", "--lazy", str(self.folder)], check=True)
            self.is_mounted = False
