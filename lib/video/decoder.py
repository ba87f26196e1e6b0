"""Open the container of a posted file safely, and decode its frames in the order in which they are shown."""

from __future__ import annotations

import errno
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import av

from lib.video.container import READABLE
from lib.video.limits import Limits
from lib.video.problems import ProblemCode, VideoProblem

# Without these options the library picks a demuxer by content, and some demuxers open *other* files or addresses
# that are named inside the posted one (playlists, concat scripts, session descriptions). So only real containers and
# only plain files are allowed.
_OPEN_OPTIONS = {
    "format_whitelist": "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts",
    "protocol_whitelist": "file",
}
# Of the machine, whatever the file contains. EIO and ENOMEM are not among them: damaged files cause these as well.
_OF_THE_MACHINE = frozenset({errno.ENOENT, errno.EACCES, errno.EMFILE, errno.ENFILE, errno.ESTALE, errno.ENOSPC})
_DECODER_THREADS = 2  # several videos may be prepared at once
_HEADROOM = 4  # times the largest picture accepted


@contextmanager
def open_video(path: Path) -> Iterator[av.container.InputContainer]:
    """Open the posted file without access to any other file or the network.

    Raises:
        VideoProblem: NOT_A_VIDEO or NO_FRAMES: the container cannot be read.
        OSError: the machine cannot open the file.
    """
    try:
        # Without the prefix, a name with a colon in it would count as a protocol.
        container = av.open(f"file:{path}", "r", options=_OPEN_OPTIONS)
    except av.error.EOFError as error:
        raise VideoProblem(ProblemCode.NO_FRAMES, "The file ends before its first frame.") from error
    except (av.FFmpegError, UnicodeDecodeError) as error:
        raise_of_the_machine(error)
        raise VideoProblem(
            ProblemCode.NOT_A_VIDEO, f"The file cannot be opened as a video. Please post {READABLE}."
        ) from error
    with container:
        yield container


def decoded_frames(path: Path, stream_index: int, limits: Limits) -> Generator[av.VideoFrame, None, None]:
    """Yield every frame of one video stream in the order of display; one frame is in memory at a time.

    Raises:
        VideoProblem: UNDECODABLE: at the first damaged picture.
    """
    frames = 0
    with open_video(path) as container:
        stream = next(stream for stream in container.streams.video if stream.index == stream_index)
        stream.thread_type = "AUTO"
        context = stream.codec_context
        context.thread_count = _DECODER_THREADS
        # The size in the header was checked before, but frames may be larger. If they are a little larger, the caller
        # sees the frame and can refuse it; if much larger, the decoder stops before it takes the memory.
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
            raise_of_the_machine(error)
            raise VideoProblem(
                ProblemCode.UNDECODABLE,
                f"The file is damaged: the pictures after the first {frames:,} cannot be decoded.",
            ) from error


def raise_of_the_machine(error: Exception) -> None:
    """Raise an error of the media library as an OSError, if the machine caused it and not the posted file."""
    number = getattr(error, "errno", None)
    if number in _OF_THE_MACHINE:
        raise OSError(number, str(error)) from error
