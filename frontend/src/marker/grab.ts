/**
 * One picture out of the decoder together with its own name. While a video runs, a plain drawImage may already draw the next
 * picture (measured: in 1 of 50 frames); a VideoFrame holds picture and time in one piece.
 */

import { seconds, type Frame } from "../shared/units";
import type { FrameTable } from "./frames";

export interface Grab {
  source: CanvasImageSource;
  /** The frame it is by its own word; null where the browser has no such word. */
  at: Frame | null;
  close(): void;
}

export function grab(video: HTMLVideoElement, table: FrameTable, isNamed: boolean): Grab {
  if (isNamed) {
    try {
      const picture = new VideoFrame(video);
      return { source: picture, at: table.at(seconds(picture.timestamp / 1e6)), close: () => picture.close() };
    } catch {
      // Nothing decoded yet, or a browser that forbids it: the element itself, without a name.
    }
  }
  return { source: video, at: null, close: () => undefined };
}

/** Does this browser name pictures rightly? Asked while the decoder stands at `known`. */
export function namesPictures(video: HTMLVideoElement, table: FrameTable, known: Frame): boolean {
  if (typeof VideoFrame === "undefined") return false;
  const picture = grab(video, table, true);
  picture.close();
  return picture.at === known;
}
