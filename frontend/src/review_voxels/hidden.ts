/** What of the scene is left out, so that masks within and behind blocks are seen. Pure. */

import { indexOf } from "../world/frame";
import type { Grid } from "../world/grid";
import type { Coat } from "./coats";
import type { Looking } from "./state";

/** Flat indices; null where nothing is. Without all but what is painted, painted ground stays; else ground goes as a whole. */
export function hidden(looking: Looking, grid: Grid, ground: ReadonlySet<number>, coats: readonly Coat[]): ReadonlySet<number> | null {
  if (!looking.isBare) return looking.isGroundHidden ? ground : null;
  const painted = new Set(coats.flatMap(({ cells }) => [...cells]));
  const rest = new Set<number>();
  grid.each((x, y, z) => {
    const index = indexOf(grid.size, x, y, z);
    if (!painted.has(index)) rest.add(index);
  });
  return rest;
}
