/** The way from thing to thing with Tab. Pure. */

import { basisOf, dot, type Camera } from "../../../world/camera";
import { cellOf, type Cell } from "../../../world/frame";
import { centreOf } from "./groups";
import type { Field } from "./selection";
import { thingsOf, type Thing } from "./things";

/** The things from left to right, as the camera sees them. */
export function inOrder(field: Field, camera: Pick<Camera, "yaw" | "pitch">): readonly Thing[] {
  const { right } = basisOf(camera);
  const placed = thingsOf(field).all.map((thing) => ({ thing, at: dot(centreOf(field.grid.size, thing), right) }));
  return placed.sort((a, b) => a.at - b.at || (a.thing[0] ?? 0) - (b.thing[0] ?? 0)).map(({ thing }) => thing);
}

/** The thing after the one with the focus, or before it; null at the end, where Tab leaves the picture. */
export function thingAfter(things: readonly Thing[], at: Thing | null, by: 1 | -1): Thing | null {
  const index = at ? things.findIndex((thing) => thing[0] === at[0]) : -1;
  if (index < 0) return things.at(by > 0 ? 0 : -1) ?? null;
  return things[index + by] ?? null;
}

/** The block of a thing where the cursor stands: on top, and near its middle. */
export function standOf(size: Cell, thing: Thing): Cell {
  const [x, , z] = centreOf(size, thing);
  const off = ([cx, cy, cz]: Cell): number => Math.hypot(cx + 0.5 - x, cz + 0.5 - z) - cy;
  const cells = thing.map((index) => cellOf(size, index));
  return cells.reduce((best, cell) => (off(cell) < off(best) ? cell : best), cells[0] ?? [0, 0, 0]);
}
