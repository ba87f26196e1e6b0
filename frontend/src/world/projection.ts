/**
 * Converts between scene and pane: the matrix of the picture, the position of a point, and the ray through a position.
 */

import { along, basisOf, dot, eyeOf, halfField, type Camera } from "./camera";
import type { Cell } from "./frame";

/** Column-major, for points (x, y, z, 1); x/w and y/w of the result are in [-1, 1] inside the pane. */
export type Matrix = Float32Array;

/**
 * `aspect` is width over height. Objects farther than `reach` blocks outside of a scene of this size may be cut off.
 */
export function matrixOf(camera: Camera, aspect: number, size: Cell, reach: number): Matrix {
  const { right, up, forward } = basisOf(camera);
  const eye = eyeOf(camera);
  const [scaleX, scaleY] = scalesOf(camera, aspect);
  const radius = Math.hypot(...size) / 2 + reach;
  const middle = dot([size[0] / 2 - eye[0], size[1] / 2 - eye[1], size[2] / 2 - eye[2]], forward);
  const far = Math.max(middle + radius, 1);
  const near = Math.max(middle - radius, Math.min(0.1, far / 2));
  const a = (far + near) / (far - near);
  const b = (-2 * far * near) / (far - near);
  const shiftX = -dot(right, eye);
  const shiftY = -dot(up, eye);
  const shiftZ = -dot(forward, eye);
  const matrix = new Float32Array(16);
  for (let axis = 0; axis < 3; axis++) {
    matrix[axis * 4] = (right[axis] as number) * scaleX;
    matrix[axis * 4 + 1] = (up[axis] as number) * scaleY;
    matrix[axis * 4 + 2] = (forward[axis] as number) * a;
    matrix[axis * 4 + 3] = forward[axis] as number;
  }
  matrix[12] = shiftX * scaleX;
  matrix[13] = shiftY * scaleY;
  matrix[14] = shiftZ * a + b;
  matrix[15] = shiftZ;
  return matrix;
}

/** The position of a point in the pane, from (0, 0) at the top left to (1, 1); null behind the camera. */
export function placeOf(camera: Camera, aspect: number, point: Cell): { x: number; y: number; depth: number } | null {
  const { right, up, forward } = basisOf(camera);
  const eye = eyeOf(camera);
  const reach: Cell = [point[0] - eye[0], point[1] - eye[1], point[2] - eye[2]];
  const depth = dot(reach, forward);
  if (depth <= 1e-6) return null;
  const [scaleX, scaleY] = scalesOf(camera, aspect);
  return { x: (1 + (dot(reach, right) * scaleX) / depth) / 2, y: (1 - (dot(reach, up) * scaleY) / depth) / 2, depth };
}

/**
 * The ray from the eye through a position of the pane, with (0, 0) at the top left; the direction is not normalised.
 */
export function rayOf(camera: Camera, aspect: number, x: number, y: number): { origin: Cell; direction: Cell } {
  const { right, up, forward } = basisOf(camera);
  const [scaleX, scaleY] = scalesOf(camera, aspect);
  const direction = along(along(forward, right, (2 * x - 1) / scaleX), up, (1 - 2 * y) / scaleY);
  return { origin: eyeOf(camera), direction };
}

// The field of view spans the shorter side, so that a fitting scene also fits a tall pane.
function scalesOf(camera: Camera, aspect: number): [number, number] {
  const side = 1 / halfField(camera);
  return aspect >= 1 ? [side / aspect, side] : [side, side * aspect];
}
