/** The two figures as triangles: the agent is a boxy robot with an aerial, the player is round with a hat. */

import { feetOf, type Cell, type Pose } from "../frame";
import { channels } from "../palette";

/** Numbers for each corner: position, normal, colour (three each). */
export const BODY_WIDTH = 9;

const ROUND = 14;
const RADIANS = Math.PI / 180;

const STEEL = "#dfe4ea";
const ORANGE = "#f0871f";
const DARK = "#1c222b";
const GLOW = "#7df0ff";
const SKIN = "#eec39a";
const BLUE = "#2f62c4";
const FELT = "#5a3a24";

/** Converts points and directions of a figure to the scene. */
interface Joint {
  place: (x: number, y: number, z: number) => Cell;
  turn: (x: number, y: number, z: number) => Cell;
}

export function agentBody(pose: Pose): Float32Array {
  const out: number[] = [];
  const trunk = jointOf(pose, 0);
  const head = jointOf(pose, pose.pitch, 1.3);
  for (const side of [-1, 1]) {
    box(out, trunk, [side * 0.15, 0.3, 0], [0.11, 0.3, 0.14], DARK);
    box(out, trunk, [side * 0.43, 0.93, 0], [0.08, 0.29, 0.11], ORANGE);
  }
  box(out, trunk, [0, 0.92, 0], [0.34, 0.33, 0.22], STEEL);
  box(out, trunk, [0, 0.98, 0.22], [0.18, 0.14, 0.02], ORANGE);
  box(out, head, [0, 1.58, 0], [0.32, 0.29, 0.3], ORANGE);
  box(out, head, [0, 1.61, 0.3], [0.26, 0.13, 0.03], DARK);
  for (const side of [-1, 1]) box(out, head, [side * 0.12, 1.61, 0.335], [0.06, 0.06, 0.015], GLOW);
  box(out, head, [0, 1.95, 0], [0.03, 0.08, 0.03], DARK);
  return new Float32Array(out);
}

export function playerBody(pose: Pose): Float32Array {
  const out: number[] = [];
  const trunk = jointOf(pose, 0);
  const head = jointOf(pose, pose.pitch, 1.35);
  for (const side of [-1, 1]) {
    turned(
      out,
      trunk,
      [side * 0.13, 0, 0],
      [
        [0.11, 0],
        [0.11, 0.6],
      ],
      DARK,
    );
    turned(
      out,
      trunk,
      [side * 0.38, 0, 0],
      [
        [0, 0.62],
        [0.08, 0.66],
        [0.08, 1.16],
        [0, 1.24],
      ],
      BLUE,
    );
  }
  turned(
    out,
    trunk,
    [0, 0, 0],
    [
      [0, 0.55],
      [0.27, 0.56],
      [0.31, 0.9],
      [0.25, 1.24],
      [0, 1.3],
    ],
    BLUE,
  );
  turned(out, head, [0, 1.56, 0], ball(0.28), SKIN);
  for (const side of [-1, 1]) turned(out, head, [side * 0.1, 1.6, 0.25], ball(0.045), DARK);
  turned(
    out,
    head,
    [0, 0, 0],
    [
      [0, 1.71],
      [0.44, 1.7],
      [0.44, 1.74],
      [0.27, 1.78],
      [0.22, 1.96],
      [0, 2],
    ],
    FELT,
  );
  return new Float32Array(out);
}

/** Turned about the y axis by the yaw, and about a neck of that height by the pitch. */
function jointOf(pose: Pose, pitch: number, neck = 0): Joint {
  const [sinYaw, cosYaw] = [Math.sin(pose.yaw * RADIANS), Math.cos(pose.yaw * RADIANS)];
  const [sinPitch, cosPitch] = [Math.sin(pitch * RADIANS), Math.cos(pitch * RADIANS)];
  const feet = feetOf(pose);
  const turn = (x: number, y: number, z: number): Cell => {
    const up = y * cosPitch + z * sinPitch;
    const ahead = z * cosPitch - y * sinPitch;
    return [x * cosYaw + ahead * sinYaw, up, ahead * cosYaw - x * sinYaw];
  };
  const place = (x: number, y: number, z: number): Cell => {
    const [a, b, c] = turn(x, y - neck, z);
    return [feet[0] + a, feet[1] + neck + b, feet[2] + c];
  };
  return { place, turn };
}

function box(out: number[], joint: Joint, middle: Cell, half: Cell, colour: string): void {
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const normal = [0, 0, 0];
      normal[axis] = side;
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      // The order of the corners depends on the side, so that they run counter-clockwise seen from outside.
      const corners = [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, -1],
        [1, 1],
        [-1, 1],
      ] as const;
      for (const [a, b] of side > 0 ? corners : corners.toReversed()) {
        const at = [...middle];
        at[axis] = (middle[axis] as number) + side * (half[axis] as number);
        at[u] = (middle[u] as number) + a * (half[u] as number);
        at[v] = (middle[v] as number) + b * (half[v] as number);
        corner(out, joint, at as unknown as Cell, normal as unknown as Cell, colour);
      }
    }
  }
}

/** A profile (radius, height) from bottom to top, rotated about a vertical axis. */
function turned(
  out: number[],
  joint: Joint,
  middle: Cell,
  profile: readonly (readonly [number, number])[],
  colour: string,
): void {
  for (let row = 0; row + 1 < profile.length; row++) {
    const [r0, y0] = profile[row] as readonly [number, number];
    const [r1, y1] = profile[row + 1] as readonly [number, number];
    const slope = Math.hypot(r1 - r0, y1 - y0) || 1;
    for (let part = 0; part < ROUND; part++) {
      for (const [step, isTop] of [
        [0, 0],
        [0, 1],
        [1, 1],
        [0, 0],
        [1, 1],
        [1, 0],
      ] as const) {
        const angle = ((part + step) / ROUND) * 2 * Math.PI;
        // Seen from above x turns towards z clockwise, so the corners go up first.
        const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
        const [r, y] = isTop ? [r1, y1] : [r0, y0];
        const normal: Cell = [(cos * (y1 - y0)) / slope, (r0 - r1) / slope, (sin * (y1 - y0)) / slope];
        corner(out, joint, [middle[0] + cos * r, middle[1] + y, middle[2] + sin * r], normal, colour);
      }
    }
  }
}

function ball(radius: number): [number, number][] {
  return Array.from({ length: 9 }, (_, row): [number, number] => {
    const angle = (row / 8 - 0.5) * Math.PI;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

function corner(out: number[], joint: Joint, at: Cell, normal: Cell, colour: string): void {
  out.push(...joint.place(...at), ...joint.turn(...normal), ...channels(colour));
}
