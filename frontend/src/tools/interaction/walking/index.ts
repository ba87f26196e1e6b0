/** The world in first person: walking, looking and building. */

import type { Pose, Scene } from "../../../world/frame";
import { FirstPerson } from "./person";
import type { Walk, WalkEvents } from "./types";

export { WALK_HELP, type Action } from "./actions";
export type { Missed, Walk, WalkEvents } from "./types";

/**
 * The pane takes keys, mouse and fingers; it may have a label and gets a `tabindex` if it has none. It must be
 * positioned (not `static`). The canvas fills it and lies in it, or over it without taking the mouse. A crosshair is
 * added after the canvas. `data-ready` is 1 on the pane once the world is painted; `data-mouse` is `caught` or `free`.
 */
export function openWalk(canvas: HTMLCanvasElement, pane: HTMLElement, scene: Scene, at: Pose, on: WalkEvents): Walk {
  return new FirstPerson(canvas, pane, scene, at, on);
}
