"""What can be wrong with a posted video: a code for programs and a sentence for the person who posted it."""

from enum import StrEnum


class ProblemCode(StrEnum):
    """The complete list. The values are stable: they leave the server as `problem.code` of an episode."""

    EMPTY_FILE = "empty_file"
    """The file has no bytes."""
    NOT_A_VIDEO = "not_a_video"
    """No container that we read: text, an archive, a web page, random bytes."""
    STILL_IMAGE = "still_image"
    """A picture file (PNG, JPEG, WebP, GIF): it has no frames with exact times."""
    TRUNCATED = "truncated"
    """The file ends before what it promises: an upload cut short or a recording never finished."""
    NO_VIDEO_STREAM = "no_video_stream"
    """Sound, or some other stream, without pictures; a cover picture does not count as video."""
    SEVERAL_VIDEO_STREAMS = "several_video_streams"
    """More than one picture track: which of them is judged is the poster's to say, not ours to guess."""
    NO_FRAMES = "no_frames"
    """A video stream in which not one picture could be found."""
    TOO_LONG = "too_long"
    """Longer than `Limits.max_duration_s`."""
    TOO_LARGE = "too_large"
    """A picture of more than `Limits.max_pixels`."""
    TOO_MANY_FRAMES = "too_many_frames"
    """More than `Limits.max_frames`."""
    UNSUPPORTED_CODEC = "unsupported_codec"
    """The pictures are coded or stored in a way that we do not read."""
    MISSING_TIMESTAMPS = "missing_timestamps"
    """A frame without a time of its own; we never guess times from a frame rate."""
    DUPLICATE_TIMESTAMPS = "duplicate_timestamps"
    """Two frames at the same time: no player could show the first, no marker could tell them apart."""
    DISORDERED_TIMESTAMPS = "disordered_timestamps"
    """A frame is shown after another and yet has the earlier time."""
    UNDECODABLE = "undecodable"
    """Damaged bytes: pictures missing, half decoded, or not decodable at all."""


class VideoProblem(Exception):
    """A posted file that cannot become an episode's video.

    `detail` is a plain, specific sentence for the person who posted the file: what is wrong, where, and
    what would help. It names no path and no address of this server.
    """

    def __init__(self, code: ProblemCode, detail: str) -> None:
        super().__init__(f"{code.value}: {detail}")
        self.code = code
        self.detail = detail
