/** How mouse and fingers move the camera, in whichever picture of a scene. */

import { HALF_FIELD, orbit, pan, zoom, type Camera } from "../world/camera";
import { listenTo, type Gestures } from "./gestures";

export type CameraGestures = Pick<Gestures, "turn" | "twist" | "slide" | "zoom">;

const DEGREES_A_PIXEL = 0.4;

/** `see` changes the camera; the panes are what it is seen in; sizes are those of the last one. */
export function cameraGestures(see: (change: (camera: Camera) => Camera) => void, panes: readonly HTMLElement[]): CameraGestures {
  const blocksOfPixel = ({ distance }: Camera): number => {
    const rect = panes.at(-1)?.getBoundingClientRect();
    const side = rect ? Math.min(rect.width, rect.height) : 0;
    return side > 0 ? (2 * HALF_FIELD * distance) / side : 0;
  };
  /** Nearer, with the point under the pointer (in the plane of the target) staying where it is. */
  const zoomed = (camera: Camera, factor: number, x: number, y: number): Camera => {
    const rects = panes.map((pane) => pane.getBoundingClientRect());
    const rect = rects.find(({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom) ?? rects.at(-1);
    const nearer = zoom(camera, factor);
    if (!rect) return nearer;
    const by = blocksOfPixel(camera) - blocksOfPixel(nearer);
    return pan(nearer, (x - (rect.left + rect.right) / 2) * by, ((rect.top + rect.bottom) / 2 - y) * by);
  };
  return {
    turn: (dx, dy) => see((camera) => orbit(camera, -dx * DEGREES_A_PIXEL, -dy * DEGREES_A_PIXEL)),
    twist: (by) => see((camera) => orbit(camera, -by, 0)),
    slide: (dx, dy) => see((camera) => pan(camera, -dx * blocksOfPixel(camera), dy * blocksOfPixel(camera))),
    zoom: (factor, x, y) => see((camera) => zoomed(camera, factor, x, y)),
  };
}

/** A picture that is only looked at: mouse and fingers move its camera and do nothing else. Returns what ends it. */
export function lookAround(pane: HTMLElement, see: (change: (camera: Camera) => Camera) => void): () => void {
  const wheel = (event: WheelEvent): void => {
    // A page that scrolls past must not be caught: the wheel is the picture's once it is chosen.
    if (!event.ctrlKey && !pane.contains(document.activeElement)) event.stopPropagation();
  };
  pane.parentElement?.addEventListener("wheel", wheel, { capture: true });
  const nothing = (): void => {};
  const stop = listenTo(pane, {
    draws: () => false,
    hover: nothing,
    leave: nothing,
    press: nothing,
    drawFrom: nothing,
    drawTo: nothing,
    drawn: nothing,
    ...cameraGestures(see, [pane]),
  });
  return () => {
    pane.parentElement?.removeEventListener("wheel", wheel, { capture: true });
    stop();
  };
}
