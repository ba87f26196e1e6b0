/** Mouse and touch control of a camera, for all pictures of scenes. */

import { HALF_FIELD, orbit, pan, zoom, type Camera } from "../../../world/camera";
import { listenTo, type Gestures } from "./gestures";

export type CameraGestures = Pick<Gestures, "turn" | "twist" | "slide" | "zoom">;

const DEGREES_A_PIXEL = 0.4;

/** `see` changes the camera. The panes show it; the last one gives the size. */
export function cameraGestures(
  see: (change: (camera: Camera) => Camera) => void,
  panes: readonly HTMLElement[],
): CameraGestures {
  const blocksOfPixel = ({ distance }: Camera): number => {
    const rect = panes.at(-1)?.getBoundingClientRect();
    const side = rect ? Math.min(rect.width, rect.height) : 0;
    return side > 0 ? (2 * HALF_FIELD * distance) / side : 0;
  };
  /** Zooms while the point under the pointer, in the plane of the target, keeps its place. */
  const zoomed = (camera: Camera, factor: number, x: number, y: number): Camera => {
    const rects = panes.map((pane) => pane.getBoundingClientRect());
    const rect =
      rects.find(({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom) ?? rects.at(-1);
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

/** For pictures that can only be turned: mouse and fingers move the camera. Returns a function that stops it. */
export function listenForCamera(pane: HTMLElement, see: (change: (camera: Camera) => Camera) => void): () => void {
  const wheel = (event: WheelEvent): void => {
    // The wheel scrolls the page until the picture is focused.
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
