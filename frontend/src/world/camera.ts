/**
 * The camera looks at a target from a distance, and can be turned, moved and zoomed. In first person the target is the
 * eye itself.
 */

import { gaze, wholeOf, type Box, type Cell } from "./frame";
import type { Grid } from "./grid";

/** The view direction in degrees, as in a pose: seen from above, the pitch is negative. */
export interface Camera {
  target: Cell;
  yaw: number;
  pitch: number;
  /** From the eye to the target, in blocks. */
  distance: number;
  /** The angle that the shorter side of a pane spans, in degrees; `FIELD` if missing. */
  field?: number;
}

/** In degrees: narrow for a scene seen from outside, wide in first person. */
export const FIELD = 32;
const WIDE = 62;
export const HALF_FIELD = halfField({ field: FIELD });

const STEEPEST = 89;
const NEAREST = 1.5;
const FARTHEST = 1500;
/** How much of the shorter side the scene fills. */
const FILLED = 0.92;

export interface Basis {
  right: Cell;
  up: Cell;
  forward: Cell;
}

/** Unit vectors: right and up in the picture, and forward into it. */
export function basisOf(camera: Pick<Camera, "yaw" | "pitch">): Basis {
  const forward = gaze(camera);
  const yaw = camera.yaw * (Math.PI / 180);
  const right: Cell = [-Math.cos(yaw), 0, Math.sin(yaw)];
  return { right, up: cross(right, forward), forward };
}

export function eyeOf(camera: Camera): Cell {
  return along(camera.target, gaze(camera), -camera.distance);
}

/** Half of what the shorter side of a pane spans at a distance of one block. */
export function halfField({ field = FIELD }: Pick<Camera, "field">): number {
  return Math.tan((field / 2) * (Math.PI / 180));
}

/** A camera at an eye. */
export function cameraAtEyes(eye: Cell, yaw: number, pitch: number): Camera {
  return { target: eye, yaw, pitch, distance: 0, field: WIDE };
}

/** A camera that shows all blocks of the grid, or the whole size if there are none, in a pane of any shape. */
export function framing(size: Cell, grid?: Grid): Camera {
  return framed(grid?.extent() ?? wholeOf(size));
}

/** A camera that shows a box of the scene in a pane of any shape. */
export function framed({ low, high }: Box): Camera {
  const target: Cell = [(low[0] + high[0] + 1) / 2, (low[1] + high[1] + 1) / 2, (low[2] + high[2] + 1) / 2];
  const turn = { yaw: 30, pitch: -30 };
  const { right, up, forward } = basisOf(turn);
  let distance = NEAREST;
  for (let corner = 0; corner < 8; corner++) {
    const reach: Cell = [
      (corner & 1 ? high[0] + 1 : low[0]) - target[0],
      (corner & 2 ? high[1] + 1 : low[1]) - target[1],
      (corner & 4 ? high[2] + 1 : low[2]) - target[2],
    ];
    const aside = Math.max(Math.abs(dot(reach, right)), Math.abs(dot(reach, up)));
    distance = Math.max(distance, aside / (HALF_FIELD * FILLED) - dot(reach, forward));
  }
  return { target, ...turn, distance };
}

/** Turns by degrees: positive is to the left and upwards. */
export function orbit(camera: Camera, yaw: number, pitch: number): Camera {
  return {
    ...camera,
    yaw: (((camera.yaw + yaw) % 360) + 360) % 360,
    pitch: Math.min(Math.max(camera.pitch + pitch, -STEEPEST), STEEPEST),
  };
}

/** Moves the target by blocks in the plane of the picture. */
export function pan(camera: Camera, right: number, up: number): Camera {
  const basis = basisOf(camera);
  return { ...camera, target: along(along(camera.target, basis.right, right), basis.up, up) };
}

/** Moves nearer by a factor: 2 halves the distance. */
export function zoom(camera: Camera, factor: number): Camera {
  return { ...camera, distance: Math.min(Math.max(camera.distance / factor, NEAREST), FARTHEST) };
}

export function along(from: Cell, direction: Cell, length: number): Cell {
  return [from[0] + direction[0] * length, from[1] + direction[1] * length, from[2] + direction[2] * length];
}

export function dot(a: Cell, b: Cell): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: Cell, b: Cell): Cell {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
