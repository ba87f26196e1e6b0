"""The encoder of the videos that we write."""

from fractions import Fraction
from typing import cast

import av

from lib.faults import ServerFault

H264 = "libx264"


def add_h264(
    out: av.container.OutputContainer, *, rate: Fraction | int, options: dict[str, str] | None = None
) -> av.VideoStream:
    """A new video stream, coded as H.264.

    Raises:
        ServerFault: the media library of this machine lacks the encoder.
    """
    try:
        return cast(av.VideoStream, out.add_stream(H264, rate=rate, options=options))
    except av.codec.codec.UnknownCodecError as error:
        raise ServerFault("The media library of this server has no encoder for H.264.") from error
