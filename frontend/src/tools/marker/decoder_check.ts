/**
 * Checks whether this browser and server can show exact frames of the video. Refusing is better than showing a wrong
 * frame.
 */

import { frame, seconds, type Frame } from "./units";
import type { FrameTable } from "./frames";

/** Its message tells the worker why the video cannot be judged here. */
export class VideoTrouble extends Error {}

const METADATA_MS = 30_000;
const PICTURE_MS = 15_000;
const SILENT_MS = 400;

export function loadMetadata(video: HTMLVideoElement, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(new VideoTrouble("The video takes too long to load.")), METADATA_MS);
    const done = (trouble?: VideoTrouble): void => {
      clearTimeout(timer);
      video.removeEventListener("loadedmetadata", onLoaded);
      video.removeEventListener("error", onError);
      if (trouble) reject(trouble);
      else resolve();
    };
    const onLoaded = (): void => done();
    const onError = (): void => done(new VideoTrouble("The video could not be loaded."));
    video.addEventListener("loadedmetadata", onLoaded);
    video.addEventListener("error", onError);
    video.src = url;
  });
}

/**
 * Throws VideoTrouble if a seek does not land on the frame it asks for; returns the frame at which the decoder now is.
 */
export async function checkDecoder(video: HTMLVideoElement, table: FrameTable): Promise<Frame> {
  if (!("requestVideoFrameCallback" in HTMLVideoElement.prototype)) {
    throw new VideoTrouble(
      "This browser cannot name the picture it shows. Please use a current Chrome, Edge, Firefox or Safari.",
    );
  }
  const oneFrame = Math.max(table.length(table.last), 0.05);
  // Without byte ranges every seek silently lands on frame 0, and nothing is seekable.
  const seekable = video.seekable.length > 0 ? video.seekable.end(video.seekable.length - 1) : 0;
  if (seekable < table.duration - oneFrame)
    throw new VideoTrouble("The connection does not let this video be searched.");
  if (Math.abs(video.duration - table.duration) > oneFrame)
    throw new VideoTrouble("This video is not the one it should be.");
  const probe = frame(Math.floor(table.frames / 2));
  if ((await seekAndAsk(video, table, probe)) !== probe)
    throw new VideoTrouble("This browser does not show the exact pictures of this video.");
  return probe;
}

/** Seeks, and returns the frame that the decoder reports. */
function seekAndAsk(video: HTMLVideoElement, table: FrameTable, target: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let handle = 0;
    let silence: ReturnType<typeof setTimeout> | undefined;
    const timer = setTimeout(() => {
      done();
      reject(new VideoTrouble("The video takes too long to load."));
    }, PICTURE_MS);
    const done = (): void => {
      clearTimeout(timer);
      clearTimeout(silence);
      video.cancelVideoFrameCallback(handle);
      video.removeEventListener("seeked", onSeeked);
    };
    const onFrame = (_now: number, meta: VideoFrameCallbackMetadata): void => {
      const here = table.nearest(seconds(meta.mediaTime));
      if (here !== target) {
        handle = video.requestVideoFrameCallback(onFrame); // the first picture, from before the seek
        return;
      }
      done();
      resolve(here);
    };
    const onSeeked = (): void => {
      silence = setTimeout(() => {
        done();
        resolve(table.at(seconds(video.currentTime)));
      }, SILENT_MS);
    };
    handle = video.requestVideoFrameCallback(onFrame);
    video.addEventListener("seeked", onSeeked);
    video.currentTime = table.middle(frame(target));
  });
}
