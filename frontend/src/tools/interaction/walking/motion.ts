/** The movement of a body among blocks: without gravity, along walls, up single steps. Pure. */

import { EYES, feetOf, gaze, type Cell, type Pose } from "../../../world/frame";
import type { Held } from "./actions";

/** True for blocks and for every cell outside of the world. */
export type IsSolid = (x: number, y: number, z: number) => boolean;

export interface Walker {
  /** The point between the feet, in blocks. */
  readonly at: Cell;
  /** In blocks per second. */
  readonly speed: Cell;
  /** In degrees, as in a pose. */
  readonly yaw: number;
  readonly pitch: number;
  /** How far the eyes are below their normal height after a step up. */
  readonly sunk: number;
}

/** The length of a simulation step. A step longer than `LONGEST_S` could pass through a block. */
export const STEP_S = 1 / 120;
export const LONGEST_S = 0.05;

/** Narrower and lower than the cells, so that a door one wide and two high needs no exact aim. */
const HALF_WIDTH = 0.3;
const HEIGHT = 1.9;

export const SPEED = 4;
const TURNED_A_SECOND = 100;
const TILTED_A_SECOND = 70;
const RISE = 6;
/** The time in which the speed gets nearer to the wanted speed by the factor 1/e. */
const EASE_S = 0.05;
const SLOWEST = 0.05;
const STEEPEST = 89;
/** A distance below this counts as touching, not as inside. */
const HAIR = 1e-6;

const STILL: Cell = [0, 0, 0];

export function walkerAt(pose: Pose): Walker {
  return { at: feetOf(pose), speed: STILL, yaw: pose.yaw, pitch: pose.pitch, sunk: 0 };
}

/** Rounded to 0.01 blocks and 0.1 degrees; yaw in [0, 360). */
export function poseOf({ at, yaw, pitch }: Walker): Pose {
  const [x, y, z] = feetOf({ x: 0, y: 0, z: 0, yaw: 0, pitch: 0 });
  const block = (one: number): number => rounded(one, 100);
  return {
    x: block(at[0] - x),
    y: block(at[1] - y),
    z: block(at[2] - z),
    pitch: rounded(pitch, 10),
    yaw: rounded(wrapped(yaw), 10) % 360,
  };
}

export function eyeOf({ at, sunk }: Walker): Cell {
  return [at[0], at[1] + EYES - sunk, at[2]];
}

/** Moves the walker inside a world of this size. */
export function within(size: Cell, walker: Walker): Walker {
  const most = (axis: 0 | 2): number => Math.max(size[axis] - HALF_WIDTH, HALF_WIDTH);
  const at: Cell = [
    clamp(walker.at[0], HALF_WIDTH, most(0)),
    clamp(walker.at[1], 0, Math.max(size[1] - HEIGHT, 0)),
    clamp(walker.at[2], HALF_WIDTH, most(2)),
  ];
  return { ...walker, at };
}

/** Whether any part of the body is in the cell. */
export function isIn({ at }: Pick<Walker, "at">, cell: Cell): boolean {
  const { low, high } = cellsOf(at);
  return cell.every((one, axis) => one >= (low[axis] as number) && one <= (high[axis] as number));
}

/** Turns the view by so many degrees to the left and upwards. */
export function turned(walker: Walker, left: number, up: number): Walker {
  return { ...walker, yaw: wrapped(walker.yaw + left), pitch: clamp(walker.pitch + up, -STEEPEST, STEEPEST) };
}

/** Whether nothing will change without further input. */
export function isStill({ speed, sunk }: Walker, keys: ReadonlySet<Held>): boolean {
  return keys.size === 0 && sunk === 0 && speed.every((one) => one === 0);
}

/** The walker `dt` seconds (at most `LONGEST_S`) later; the same object if nothing changed. */
export function step(walker: Walker, keys: ReadonlySet<Held>, dt: number, isSolid: IsSolid): Walker {
  if (isStill(walker, keys)) return walker;
  const sum = (more: Held, less: Held): number => Number(keys.has(more)) - Number(keys.has(less));
  const looking = turned(
    walker,
    sum("turn_left", "turn_right") * TURNED_A_SECOND * dt,
    sum("look_up", "look_down") * TILTED_A_SECOND * dt,
  );
  const speed = eased(
    walker.speed,
    wished(looking.yaw, sum("forward", "back"), sum("left", "right"), sum("up", "down")),
    dt,
  );
  const moved = slid(walker.at, speed, dt, isSolid);
  const sunk = Math.max(walker.sunk + moved.risen - RISE * dt, 0);
  const next: Walker = { at: moved.at, speed: moved.speed, yaw: looking.yaw, pitch: looking.pitch, sunk };
  return isSame(walker, next) ? walker : next;
}

/** The speed that the held keys ask for. */
function wished(yaw: number, ahead: number, left: number, up: number): Cell {
  const [x, , z] = gaze({ yaw, pitch: 0 });
  // To the left of the view direction, seen from above: a quarter turn.
  const pace = SPEED / Math.max(Math.hypot(ahead, left), 1);
  return [(x * ahead + z * left) * pace, up * SPEED, (z * ahead - x * left) * pace];
}

function eased(speed: Cell, wish: Cell, dt: number): Cell {
  const share = 1 - Math.exp(-dt / EASE_S);
  return speed.map((one, axis) => {
    const goal = wish[axis] as number;
    return Math.abs(goal - one) < SLOWEST ? goal : one + (goal - one) * share;
  }) as unknown as Cell;
}

/** Moves along each axis as far as blocks allow. A block in the way that is one high is climbed. */
function slid(from: Cell, speed: Cell, dt: number, isSolid: IsSolid): { at: Cell; speed: Cell; risen: number } {
  let at = from;
  let risen = 0;
  const left: [number, number, number] = [...speed];
  for (const axis of [0, 2, 1] as const) {
    if (speed[axis] === 0) continue;
    const goal = shifted(at, axis, speed[axis] * dt);
    if (isFree(at, goal, isSolid)) {
      at = goal;
      continue;
    }
    const climbed = axis === 1 ? null : climb(at, goal, isSolid);
    if (climbed) {
      risen += climbed[1] - at[1];
      at = climbed;
      continue;
    }
    at = against(at, axis, Math.sign(speed[axis]), goal);
    left[axis] = 0;
  }
  return { at, speed: left, risen };
}

/** The position on top of the next layer of blocks at the goal; null if there is no room on the way. */
function climb(at: Cell, goal: Cell, isSolid: IsSolid): Cell | null {
  const y = Math.floor(at[1] + HAIR) + 1;
  const above: Cell = [at[0], y, at[2]];
  const over: Cell = [goal[0], y, goal[2]];
  return isFree(at, above, isSolid) && isFree(above, over, isSolid) ? over : null;
}

/** The position right beside the blocks ahead, never beyond the goal and never backwards. */
function against(at: Cell, axis: 0 | 1 | 2, sign: number, goal: Cell): Cell {
  const ahead = axis === 1 ? HEIGHT : HALF_WIDTH;
  const behind = axis === 1 ? 0 : HALF_WIDTH;
  const side = sign > 0 ? Math.ceil(at[axis] + ahead - HAIR) - ahead : Math.floor(at[axis] - behind + HAIR) + behind;
  const [low, high] = [Math.min(at[axis], goal[axis]), Math.max(at[axis], goal[axis])];
  return shifted(at, axis, clamp(side, low, high) - at[axis]);
}

/**
 * Whether the body may move there without entering a solid cell. A body inside a block that was just built can leave
 * it.
 */
function isFree(from: Cell, to: Cell, isSolid: IsSolid): boolean {
  const before = cellsOf(from);
  const { low, high } = cellsOf(to);
  for (let x = low[0]; x <= high[0]; x++) {
    for (let y = low[1]; y <= high[1]; y++) {
      for (let z = low[2]; z <= high[2]; z++) {
        const wasIn =
          x >= before.low[0] &&
          x <= before.high[0] &&
          y >= before.low[1] &&
          y <= before.high[1] &&
          z >= before.low[2] &&
          z <= before.high[2];
        if (!wasIn && isSolid(x, y, z)) return false;
      }
    }
  }
  return true;
}

/** The first and the last cell that the body touches. */
function cellsOf([x, y, z]: Cell): { low: Cell; high: Cell } {
  const first = (one: number): number => Math.floor(one + HAIR);
  const last = (one: number): number => Math.ceil(one - HAIR) - 1;
  return {
    low: [first(x - HALF_WIDTH), first(y), first(z - HALF_WIDTH)],
    high: [last(x + HALF_WIDTH), last(y + HEIGHT), last(z + HALF_WIDTH)],
  };
}

function shifted(at: Cell, axis: 0 | 1 | 2, by: number): Cell {
  const to: [number, number, number] = [...at];
  to[axis] += by;
  return to;
}

function isSame(a: Walker, b: Walker): boolean {
  const isSameCell = (one: Cell, other: Cell): boolean => one.every((value, axis) => value === other[axis]);
  return (
    a.yaw === b.yaw &&
    a.pitch === b.pitch &&
    a.sunk === b.sunk &&
    isSameCell(a.at, b.at) &&
    isSameCell(a.speed, b.speed)
  );
}

function clamp(one: number, low: number, high: number): number {
  return Math.min(Math.max(one, low), high);
}

function wrapped(degrees: number): number {
  return ((degrees % 360) + 360) % 360;
}

/** Adding 0 turns a -0 from rounding into 0. */
function rounded(one: number, parts: number): number {
  return Math.round(one * parts) / parts + 0;
}
