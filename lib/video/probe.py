"""A first check of a posted file: its only video stream and the time of every packet, without decoding a picture.

This takes about 0.03 s per minute of video, so most bad files are refused before any costly work, and the number of
frames is known before the decoding.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
from av.stream import Disposition, Stream

from lib.video.decoder import open_video, raise_of_the_machine
from lib.video.limits import Limits
from lib.video.problems import ProblemCode, VideoProblem

CODECS = {
    "h264": "H.264",
    "hevc": "H.265",
    "vp8": "VP8",
    "vp9": "VP9",
    "av1": "AV1",
    "mpeg4": "MPEG-4",
    "mpeg2video": "MPEG-2",
    "mpeg1video": "MPEG-1",
    "mjpeg": "Motion JPEG",
    "prores": "ProRes",
    "ffv1": "FFV1",
    "png": "PNG",
    "rawvideo": "raw pictures",
}
"""Codecs that we read. The list is short on purpose: every decoder is code that reads bytes from strangers."""

# In these codecs a packet may hold a picture that is never shown; other pictures only refer to it.
_HIDES_PICTURES = frozenset(("vp8", "vp9", "av1"))
_HIDDEN_AT_MOST = 2  # packets for each shown frame; no encoder comes near

_MAX_STREAMS = 64
# The duration in a header is rounded, and encoders count the last frame in different ways.
_SLACK_S, _SLACK_SHARE = 1.0, 0.02


@dataclass(frozen=True, slots=True)
class Probe:
    """Facts about the packets of the only video stream; times are in ticks of `time_base`, as in the file.

    Attributes:
        stream_index: Index of the video stream in the container.
        codec: Name of the codec, a key of CODECS.
        time_base: Seconds per tick.
        packets: Number of packets that should be shown, >= 1.
        packet_pts: The times at which they are shown, ascending; packets without a time are left out.
        pixel_aspect: Width over height of a stored pixel; None or 0 if the file does not give it.
        hides_pictures: Whether a packet may give no picture.
    """

    stream_index: int
    codec: str
    time_base: Fraction
    packets: int
    packet_pts: tuple[int, ...]
    pixel_aspect: Fraction | None
    hides_pictures: bool

    @property
    def rate(self) -> Fraction:
        """The approximate number of packets per second, in 1..1000; 30 where times are missing."""
        ticks = self.packet_pts[-1] - self.packet_pts[0] if self.packet_pts else 0
        if ticks == 0:
            return Fraction(30)
        average = ((self.packets - 1) / (ticks * self.time_base)).limit_denominator(1001)
        return min(max(average, Fraction(1)), Fraction(1000))


def probe(path: Path, limits: Limits) -> Probe:
    """Read every packet once; packets of sound too, because they show where the file ends.

    Raises:
        VideoProblem: NOT_A_VIDEO, NO_VIDEO_STREAM, SEVERAL_VIDEO_STREAMS, UNSUPPORTED_CODEC, NO_FRAMES,
            TOO_LARGE, TOO_LONG, TOO_MANY_FRAMES, TRUNCATED or UNDECODABLE.
    """
    with open_video(path) as container:
        stream = _video_stream(container)
        codec = stream.codec_context.codec.canonical_name  # the same name whichever library decodes it
        limits.check_picture(stream.codec_context.width, stream.codec_context.height)
        hides_pictures = codec in _HIDES_PICTURES
        most_packets = limits.max_frames * (_HIDDEN_AT_MOST if hides_pictures else 1)
        time_base = cast(Fraction, stream.time_base)  # every stream of an open container has one
        pts: list[int] = []
        packets = corrupt = 0
        end_s = Fraction(0)
        ends_corrupt = False
        try:
            for packet in container.demux():
                if packet.size == 0:
                    continue
                if packet.pts is not None:
                    end_s = max(end_s, (packet.pts + (packet.duration or 0)) * packet.time_base)
                if packet.stream_index != stream.index or packet.is_discard:
                    continue
                packets += 1
                if packets > most_packets:
                    limits.check_frames(packets)
                ends_corrupt = packet.is_corrupt
                corrupt += ends_corrupt
                if packet.pts is not None:
                    pts.append(packet.pts)
        except av.FFmpegError as error:
            raise_of_the_machine(error)
            raise VideoProblem(
                ProblemCode.UNDECODABLE, f"The file is damaged: nothing can be read after frame {packets:,}."
            ) from error
        if packets == 0:
            raise VideoProblem(ProblemCode.NO_FRAMES, "The file has a video stream, but not a single frame in it.")
        pts.sort()
        if pts:
            limits.check_duration(float((pts[-1] - pts[0]) * time_base))
        if ends_corrupt:
            raise VideoProblem(ProblemCode.TRUNCATED, "The file ends in the middle of its last frame.")
        if corrupt:
            raise VideoProblem(
                ProblemCode.UNDECODABLE, f"The file is damaged: {corrupt:,} of {packets:,} frames lost bytes."
            )
        _check_promises(container, stream, packets, float(end_s))
        return Probe(
            stream_index=stream.index,
            codec=codec,
            time_base=time_base,
            packets=packets,
            packet_pts=tuple(pts),
            pixel_aspect=stream.sample_aspect_ratio,
            hides_pictures=hides_pictures,
        )


def _video_stream(container: av.container.InputContainer) -> av.VideoStream:
    if len(container.streams) > _MAX_STREAMS:
        raise VideoProblem(
            ProblemCode.NOT_A_VIDEO, f"The file has {len(container.streams)} streams, which no video needs."
        )
    # Covers of sound files and thumbnails of some videos are stored as video streams.
    extra = Disposition.attached_pic | Disposition.timed_thumbnails
    found = [stream for stream in container.streams.video if not stream.disposition & extra]
    if not found:
        others = ", ".join(sorted({stream.type for stream in container.streams}))
        raise VideoProblem(
            ProblemCode.NO_VIDEO_STREAM,
            f"The file has no video stream, only: {others}." if others else "The file has no streams at all.",
        )
    if len(found) > 1:
        raise VideoProblem(
            ProblemCode.SEVERAL_VIDEO_STREAMS,
            f"The file has {len(found)} video streams. Please post a file with one, so that it is clear what "
            "is judged.",
        )
    # A stream has no context if the library does not know its codec.
    context = cast("av.VideoCodecContext | None", found[0].codec_context)
    name = context.codec.canonical_name if context is not None else "something unknown"
    if name not in CODECS:
        raise VideoProblem(
            ProblemCode.UNSUPPORTED_CODEC,
            f"The pictures are coded as {name}, which we do not read. We read {', '.join(CODECS.values())}.",
        )
    return found[0]


def _check_promises(container: av.container.InputContainer, stream: Stream, packets: int, end_s: float) -> None:
    """Refuse a file with fewer packets, or an earlier end, than its index or header promises."""
    name = container.format.name
    if "mp4" in name or name == "avi":
        # Both formats list every frame. (Matroska lists a few, MPEG-TS none.)
        promised = sum(1 for entry in stream.index_entries if entry.size and not entry.is_discard)
        if packets < promised:
            raise VideoProblem(
                ProblemCode.TRUNCATED, f"The file promises {promised:,} frames but holds only {packets:,}."
            )
    if "matroska" in name and container.duration is not None:
        promised_s = container.duration / av.time_base
        if end_s < promised_s - max(_SLACK_S, promised_s * _SLACK_SHARE):
            raise VideoProblem(
                ProblemCode.TRUNCATED,
                f"The file says that it lasts {promised_s:.1f} s, but it ends after {end_s:.1f} s.",
            )
