"""Limits on posted videos, which bound the cost of their preparation."""

from dataclasses import dataclass

from lib.video.problems import ProblemCode, VideoProblem


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits that are checked on the header, on the packets and on every decoded frame, because headers may be wrong.

    Attributes:
        max_duration_s: Longest video, in seconds.
        max_frames: Most frames of a video.
        max_pixels: Largest stored picture, width times height.
        max_height: Height of the scrub proxy in lines; taller pictures are scaled down, no picture is scaled up.
    """

    max_duration_s: float = 900.0
    max_frames: int = 54_000
    max_pixels: int = 4096 * 2304
    max_height: int = 480

    def check_duration(self, seconds: float) -> None:
        """Raises: VideoProblem: TOO_LONG."""
        if seconds > self.max_duration_s:
            raise VideoProblem(
                ProblemCode.TOO_LONG,
                f"The video lasts {seconds:.1f} s; at most {self.max_duration_s:g} s are accepted.",
            )

    def check_frames(self, frames: int) -> None:
        """Raises: VideoProblem: TOO_MANY_FRAMES."""
        if frames > self.max_frames:
            raise VideoProblem(
                ProblemCode.TOO_MANY_FRAMES,
                f"The video has more than {self.max_frames:,} frames, which is the most that is accepted.",
            )

    def check_picture(self, width: int, height: int) -> None:
        """Raises: VideoProblem: TOO_LARGE."""
        if width * height > self.max_pixels:
            raise VideoProblem(
                ProblemCode.TOO_LARGE,
                f"The pictures are {width} x {height}; at most {self.max_pixels:,} pixels are accepted.",
            )
