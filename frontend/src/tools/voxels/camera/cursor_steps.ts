/** Moves the cursor along the horizontal axes that are nearest to the arrow's direction in the picture. Pure. */

import type { Camera } from "../../../world/camera";
import { gaze, type Cell } from "../../../world/frame";

/** Steps to the right in the picture, upwards in the scene, and away from the camera. */
export interface CursorStep {
  right: number;
  up: number;
  away: number;
}

/** The horizontal axis that points most nearly away from the camera. */
export function awayOf(camera: Pick<Camera, "yaw">): Cell {
  const [x, , z] = gaze({ yaw: camera.yaw, pitch: 0 });
  return Math.abs(x) > Math.abs(z) ? [Math.sign(x), 0, 0] : [0, 0, Math.sign(z)];
}

export function cursorAfter(from: Cell, camera: Pick<Camera, "yaw">, { right, up, away }: CursorStep): Cell {
  const [x, , z] = awayOf(camera);
  // A quarter turn clockwise, seen from above with y towards the eye: the right of "away".
  return [from[0] + x * away - z * right, from[1] + up, from[2] + z * away + x * right];
}
