/** Creates a world with WebGL2, or with a 2D canvas if there is none. */

import { Canvas2dWorld } from "./canvas2d";
import { NoWebGl, WebglWorld } from "./webgl/renderer";
import type { Pane, Stage } from "./stage";

export function createWorld(
  canvas: HTMLCanvasElement,
  panes: readonly Pane[],
  onBroken: (why: "context_lost") => void,
): Stage {
  try {
    return new WebglWorld(canvas, panes, onBroken);
  } catch (fault) {
    if (!(fault instanceof NoWebGl)) throw fault;
    return new Canvas2dWorld(canvas, panes);
  }
}
