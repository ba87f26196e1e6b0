/**
 * Takes a picture from the decoder together with its frame number. While a video plays, a plain drawImage may already
 * draw the next picture (measured: in 1 of 50 frames); a VideoFrame holds picture and time together.
 */

import { seconds, type Frame } from "./units";
import type { FrameTable } from "./frames";

export interface CapturedFrame {
  source: CanvasImageSource;
  /** The frame number that the picture carries; null if the browser gives none. */
  at: Frame | null;
  close(): void;
}

export function captureFrame(video: HTMLVideoElement, table: FrameTable, isNamed: boolean): CapturedFrame {
  if (isNamed) {
    try {
      const picture = new VideoFrame(video);
      return { source: picture, at: table.at(seconds(picture.timestamp / 1e6)), close: () => picture.close() };
    } catch {
      // Nothing is decoded yet, or the browser forbids it: use the element itself, without a frame number.
    }
  }
  return { source: video, at: null, close: () => undefined };
}

/** Whether this browser gives correct frame numbers. Call while the decoder is at `known`. */
export function namesPictures(video: HTMLVideoElement, table: FrameTable, known: Frame): boolean {
  if (typeof VideoFrame === "undefined") return false;
  const picture = captureFrame(video, table, true);
  picture.close();
  return picture.at === known;
}
