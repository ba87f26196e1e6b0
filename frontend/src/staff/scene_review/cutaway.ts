/** The blocks that are left out of the picture, so that masks inside and behind them can be seen. Pure. */

import { indexOf } from "../../world/frame";
import type { Grid } from "../../world/grid";
import type { ShownLayer } from "./layers_shown";
import type { SceneView } from "./state";

/**
 * Flat indices; null if nothing is left out. With "only what is marked", marked ground stays; otherwise all ground is
 * hidden.
 */
export function cutaway(
  sceneView: SceneView,
  grid: Grid,
  ground: ReadonlySet<number>,
  layers: readonly ShownLayer[],
): ReadonlySet<number> | null {
  if (!sceneView.isBare) return sceneView.isGroundHidden ? ground : null;
  const painted = new Set(layers.flatMap(({ cells }) => [...cells]));
  const rest = new Set<number>();
  grid.each((x, y, z) => {
    const index = indexOf(grid.size, x, y, z);
    if (!painted.has(index)) rest.add(index);
  });
  return rest;
}
