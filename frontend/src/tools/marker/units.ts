/** Types for frames and seconds, so that the compiler finds a mix-up. */

declare const unit: unique symbol;

/** The index of a picture in a video, from 0, as in the API. */
export type Frame = number & { readonly [unit]: "frame" };

/** Seconds since the first picture of a video. */
export type Seconds = number & { readonly [unit]: "seconds" };

export const frame = (index: number): Frame => index as Frame;
export const seconds = (value: number): Seconds => value as Seconds;

export function clampFrame(index: number, first: number, last: number): Frame {
  return frame(Math.min(Math.max(Math.round(index), first), last));
}

/** `12.433 s`: the number that the API calls time_s. */
export function exactTime(at: Seconds): string {
  return `${(Math.round(at * 1000) / 1000).toFixed(3)} s`;
}

/** `12.433 s · frame 373 of 8999`: indices from 0, the second one is the last index. */
export function place(at: Seconds, index: Frame, last: number, joint = " · "): string {
  return `${exactTime(at)}${joint}frame ${index} of ${last}`;
}
