/** The world seen through the worker's own eyes: walked through, looked at, built in. */

import type { Box, Cell, Pose, Scene } from "../../world/frame";
import type { Stage } from "../../world/stage";
import type { Action } from "./actions";
import { FirstPerson } from "./person";

export { WALK_HELP, type Action } from "./actions";

/** Nothing to build on or to take away within reach; or there is, and a block cannot lie there. */
export type Missed = "far" | "no_room";

/** What the worker did. Nothing of it has changed the world yet: whoever listens answers with `setBlock`. */
export interface WalkEvents {
  /** Stands or looks otherwise, to 0.01 blocks and 0.1 degrees; up to once a frame. */
  moved(pose: Pose): void;
  /** Wants that block there: an empty cell of the world within reach, with nobody in it. */
  place(at: Cell, block: number): void;
  /** Wants the block there gone. */
  destroy(at: Cell): void;
  /** Wanted one of both, and nothing comes of it. */
  missed(why: Missed): void;
  /** The browser took the graphics away and does not give it back. */
  broken(): void;
}

export interface Walk {
  /** 0 is air; a cell outside of the world is ignored. However many there are at once, one frame shows them. */
  setBlock(x: number, y: number, z: number, id: number): void;
  setAgent(pose: Pose | null): void;
  /** Frames the box, and lights it up a few times; null takes it away. */
  flash(box: Box | null): void;
  /** Paints these cells as what is asked about, and no others. */
  mark(cells: Iterable<Cell>): void;
  setBlockInHand(id: number): void;
  /** Of the worker, rounded as for `moved`. */
  readonly pose: Pose;
  /** A button on the screen: held as a key is. `place` and `destroy` act when pressed. */
  press(action: Action, isDown: boolean): void;
  /** The keys belong to the world. */
  focus(): void;
  destroy(): void;
  readonly stage: Stage;
}

/**
 * The pane takes keys, mouse and fingers; it may have a label and gets a `tabindex` where it has none. It is positioned
 * (not `static`), the canvas fills it and lies in it, or over it without taking the mouse. A mark for the middle of the
 * view is put after the canvas. `data-ready` is 1 on the pane once the world is painted; `data-mouse` says whether the
 * mouse is `caught` or `free`.
 */
export function openWalk(canvas: HTMLCanvasElement, pane: HTMLElement, scene: Scene, at: Pose, on: WalkEvents): Walk {
  return new FirstPerson(canvas, pane, scene, at, on);
}
