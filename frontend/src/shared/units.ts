/** Numbers with a meaning, so that the compiler finds a mix-up before a worker does. */

declare const unit: unique symbol;

/** Index of a picture in a video, 0-based, the same number as in the API. */
export type Frame = number & { readonly [unit]: "frame" };

/** Seconds from the first picture of a video. */
export type Seconds = number & { readonly [unit]: "seconds" };

export const frame = (index: number): Frame => index as Frame;
export const seconds = (value: number): Seconds => value as Seconds;

export function clampFrame(index: number, first: number, last: number): Frame {
  return frame(Math.min(Math.max(Math.round(index), first), last));
}
