/** The blocks that the world highlights for the worker: where the assistant points, or which object it understood. Pure. */

import { eyesOf, type Box, type Cell, type Pose } from "../../world/frame";
import type { Live } from "./live";
import type { Corners, Found } from "./connection/wire";

export interface Pointing {
  box: Box;
  /** The exact cells, if they are known. */
  cells: readonly Cell[];
}

/** `chosen` is the index of an object of the question; without it, the first object that was found is shown. */
export function pointingOf(live: Pick<Live, "question" | "ask" | "pointed">, chosen: number | null): Pointing | null {
  const { question, ask, pointed } = live;
  if (question) {
    const found = question.show === "object" ? foundOf(question.objects ?? [], chosen) : null;
    return found && { box: boxAround(found.voxels), cells: found.voxels };
  }
  const corners = ask?.point ?? pointed;
  return corners ? { box: boxOf(corners), cells: [] } : null;
}

/** The object that is shown; null if none was found. */
export function foundOf(objects: readonly Found[], chosen: number | null): Found | null {
  const isThere = ({ voxels }: Found): boolean => voxels.length > 0;
  const wanted = chosen === null ? undefined : objects[chosen];
  return wanted && isThere(wanted) ? wanted : (objects.find(isThere) ?? null);
}

export function boxOf([a, b]: Corners): Box {
  return boxAround([a, b]);
}

/** The smallest box around these cells; there must be at least one. */
export function boxAround(cells: readonly Cell[]): Box {
  const low: [number, number, number] = [Infinity, Infinity, Infinity];
  const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (const cell of cells) {
    for (const axis of [0, 1, 2] as const) {
      low[axis] = Math.min(low[axis], cell[axis]);
      high[axis] = Math.max(high[axis], cell[axis]);
    }
  }
  return { low, high };
}

/** Beyond these angles from the middle of the view, in degrees, the target counts as out of view. */
const ASIDE = 30;
const ABOVE = 24;
const BEHIND = 130;
const DEGREES = 180 / Math.PI;

/** Where to turn to see the middle of the box; null if it is in view. */
export function whereIs({ low, high }: Box, pose: Pose): string | null {
  const eyes = eyesOf(pose);
  const [x, y, z] = ([0, 1, 2] as const).map((axis) => (low[axis] + high[axis] + 1) / 2 - eyes[axis]) as [
    number,
    number,
    number,
  ];
  const turn = ((((Math.atan2(x, z) * DEGREES - pose.yaw + 180) % 360) + 360) % 360) - 180;
  if (Math.abs(turn) > BEHIND) return "behind you";
  if (Math.abs(turn) > ASIDE) return turn > 0 ? "to your left" : "to your right";
  const lift = Math.atan2(y, Math.hypot(x, z)) * DEGREES - pose.pitch;
  if (Math.abs(lift) > ABOVE) return lift > 0 ? "further up" : "further down";
  return null;
}
