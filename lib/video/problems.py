"""The problems of posted videos: a code for programs and a sentence for the person who posted the file."""

from enum import StrEnum


class ProblemCode(StrEnum):
    """All problems. The values are stable: they are public as `problem.code` of an episode."""

    EMPTY_FILE = "empty_file"
    """The file has no bytes."""
    NOT_A_VIDEO = "not_a_video"
    """The file is not a container that we read: text, an archive, a web page, random bytes."""
    STILL_IMAGE = "still_image"
    """The file is a picture (PNG, JPEG, WebP, GIF), which has no frames with exact times."""
    TRUNCATED = "truncated"
    """The file is shorter than it promises: the upload was cut, or the recording never finished."""
    NO_VIDEO_STREAM = "no_video_stream"
    """The file has sound or other streams but no video; a cover picture does not count as video."""
    SEVERAL_VIDEO_STREAMS = "several_video_streams"
    """The file has more than one video stream, and it is not known which one should be judged."""
    NO_FRAMES = "no_frames"
    """The video stream has no picture."""
    TOO_LONG = "too_long"
    """The video is longer than `Limits.max_duration_s`."""
    TOO_LARGE = "too_large"
    """A picture has more than `Limits.max_pixels`."""
    TOO_MANY_FRAMES = "too_many_frames"
    """The video has more than `Limits.max_frames`."""
    UNSUPPORTED_CODEC = "unsupported_codec"
    """The codec or the pixel format of the pictures is not supported."""
    MISSING_TIMESTAMPS = "missing_timestamps"
    """A frame has no time; times are never guessed from a frame rate."""
    DUPLICATE_TIMESTAMPS = "duplicate_timestamps"
    """Two frames have the same time: no player could show the first, and a marker could not distinguish them."""
    DISORDERED_TIMESTAMPS = "disordered_timestamps"
    """A frame that is shown later has an earlier time."""
    UNDECODABLE = "undecodable"
    """Bytes are damaged: pictures are missing, half decoded, or cannot be decoded."""


class VideoProblem(Exception):
    """A posted file cannot become the video of an episode.

    `detail` is a specific sentence for the person who posted the file: the fault, its place, and what would help. It
    contains no path and no address of this server.
    """

    def __init__(self, code: ProblemCode, detail: str) -> None:
        super().__init__(f"{code.value}: {detail}")
        self.code = code
        self.detail = detail
