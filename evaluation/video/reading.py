"""Reading a posted file: its container, opened safely, and its pictures in the order they are shown in."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import av

from evaluation.video.container import READABLE
from evaluation.video.limits import Limits
from evaluation.video.problems import ProblemCode, VideoProblem

# Left to itself, the library picks a demuxer by content, and some of those open *other* files or addresses
# that are named inside the posted one (playlists, concat scripts, session descriptions). So: only real
# containers, and nothing but plain files.
_OPEN_OPTIONS = {
    "format_whitelist": "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts",
    "protocol_whitelist": "file",
}
_DECODER_THREADS = 2  # several videos may be prepared at once
_HEADROOM = 4  # times the largest picture accepted


@contextmanager
def open_video(path: Path) -> Iterator[av.container.InputContainer]:
    """The posted file, opened with no way to reach any other file or the network.

    Raises:
        VideoProblem: NOT_A_VIDEO or NO_FRAMES: the container cannot be read.
    """
    try:
        # The prefix keeps a name with a colon in it from being taken for a protocol.
        container = av.open(f"file:{path}", "r", options=_OPEN_OPTIONS)
    except av.error.EOFError as error:
        raise VideoProblem(ProblemCode.NO_FRAMES, "The file ends before its first frame.") from error
    except (av.FFmpegError, UnicodeDecodeError) as error:
        raise VideoProblem(
            ProblemCode.NOT_A_VIDEO, f"The file cannot be opened as a video. Please post {READABLE}."
        ) from error
    with container:
        yield container


def decoded_frames(path: Path, stream_index: int, limits: Limits) -> Generator[av.VideoFrame, None, None]:
    """Every frame of one video stream, in the order in which they are shown, one in memory at a time.

    Raises:
        VideoProblem: UNDECODABLE: for the first damaged picture.
    """
    frames = 0
    with open_video(path) as container:
        stream = next(stream for stream in container.streams.video if stream.index == stream_index)
        stream.thread_type = "AUTO"
        context = stream.codec_context
        context.thread_count = _DECODER_THREADS
        # The header's size was checked before. A stream may grow after it: a little, and the caller sees the
        # large frame and can say so; a lot, and the decoder gives up before it takes the memory.
        context.options = {"max_pixels": str(limits.max_pixels * _HEADROOM)}
        try:
            for packet in container.demux(stream):
                for frame in packet.decode():
                    if frame.is_corrupt:
                        raise VideoProblem(
                            ProblemCode.UNDECODABLE,
                            f"Frame {frames:,} is damaged: parts of its picture are lost.",
                        )
                    yield frame
                    frames += 1
        except av.FFmpegError as error:
            raise VideoProblem(
                ProblemCode.UNDECODABLE,
                f"The file is damaged: the pictures after the first {frames:,} cannot be decoded.",
            ) from error
