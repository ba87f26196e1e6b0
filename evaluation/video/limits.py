"""What a posted video may cost us."""

from dataclasses import dataclass

from evaluation.video.problems import ProblemCode, VideoProblem


@dataclass(frozen=True, slots=True)
class Limits:
    """Held to on the header, on the packets and again on every decoded frame, for a header may lie.

    Attributes:
        max_duration_s: Longest video, in seconds.
        max_frames: Most frames.
        max_pixels: Largest stored picture, width times height.
        max_height: Lines of the scrub proxy; taller pictures are scaled down to it, none is scaled up.
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
