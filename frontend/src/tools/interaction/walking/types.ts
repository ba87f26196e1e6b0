/** The interface of the world in first person: its methods for the page, and the events that it reports. */

import type { Box, Cell, Pose } from "../../../world/frame";
import type { Stage } from "../../../world/stage";
import type { Action } from "./actions";

/** `far`: no block within reach. `no_room`: a block cannot be placed there. */
export type Missed = "far" | "no_room";

/** The worker's actions. They have not changed the world yet: the listener does that with `setBlock`. */
export interface WalkEvents {
  /** The worker has a new pose, to 0.01 blocks and 0.1 degrees; at most once a frame. */
  moved(pose: Pose): void;
  /** Asks for a block in an empty cell of the world within reach, with nobody in it. */
  place(at: Cell, block: number): void;
  /** Asks to remove the block. */
  destroy(at: Cell): void;
  /** A press had no effect. */
  missed(why: Missed): void;
  /** The browser took the graphics context away and does not give it back. */
  broken(): void;
}

export interface Walk {
  /** Id 0 is air; a cell outside of the world is ignored. One frame shows any number of changes. */
  setBlock(x: number, y: number, z: number, id: number): void;
  setAgent(pose: Pose | null): void;
  /** Frames the box and flashes it a few times; null removes it. */
  flash(box: Box | null): void;
  /** Paints these cells as the object of a question, and no others. */
  mark(cells: Iterable<Cell>): void;
  setBlockInHand(id: number): void;
  /** The worker's pose, rounded as in `moved`. */
  readonly pose: Pose;
  /** A button on the screen is held like a key. `place` and `destroy` act when pressed. */
  press(action: Action, isDown: boolean): void;
  /** Gives the focus to the world. */
  focus(): void;
  destroy(): void;
  readonly stage: Stage;
}
