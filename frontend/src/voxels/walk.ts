/** Where the arrow keys lead: along the horizontal axes, as near as can be to what they look like in the picture. Pure. */

import type { Camera } from "../world/camera";
import { gaze, type Cell } from "../world/frame";

/** One step to the right in the picture, one upwards in the scene, one away from whoever looks. */
export interface Walk {
  right: number;
  up: number;
  away: number;
}

/** The horizontal axis that leads most nearly away from the camera. */
export function awayOf(camera: Pick<Camera, "yaw">): Cell {
  const [x, , z] = gaze({ yaw: camera.yaw, pitch: 0 });
  return Math.abs(x) > Math.abs(z) ? [Math.sign(x), 0, 0] : [0, 0, Math.sign(z)];
}

export function walked(from: Cell, camera: Pick<Camera, "yaw">, { right, up, away }: Walk): Cell {
  const [x, , z] = awayOf(camera);
  // A quarter turn clockwise, seen from above with y towards the eye: what lies to the right of "away".
  return [from[0] + x * away - z * right, from[1] + up, from[2] + z * away + x * right];
}
