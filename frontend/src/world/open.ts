/** Opens a world with what the browser has: WebGL2, else the plain canvas. */

import { FlatWorld } from "./flat";
import { NoWebGl, World } from "./renderer";
import type { Pane, Stage } from "./stage";

export function openWorld(canvas: HTMLCanvasElement, panes: readonly Pane[], onBroken: (why: "context_lost") => void): Stage {
  try {
    return new World(canvas, panes, onBroken);
  } catch (fault) {
    if (!(fault instanceof NoWebGl)) throw fault;
    return new FlatWorld(canvas, panes);
  }
}
