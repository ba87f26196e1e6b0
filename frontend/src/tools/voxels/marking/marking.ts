/** The marks in one scene, the tool, and the camera. Pure: no picture, no clock, no network. */

import { framed, type Camera } from "../../../world/camera";
import { cellOf, indexOf, isWithin, wholeOf, type Box, type Cell, type Scene } from "../../../world/frame";
import { Grid } from "../../../world/grid";
import { groundOf } from "../../../world/ground";
import { interestOf } from "../../../world/interest";
import { apply, inverse, NO_HISTORY, remember, stepOf, type History } from "./history";
import { MOST_CELLS, surfaceOf, type Field, type Refusal, type Target } from "./selection";
import type { Taken, Thing } from "./things";
import { standOf } from "./walk";
import { FIRST_TOOL, selectionOf, type Act, type BrushSize, type ToolSettings, type Tool } from "./tools";

/** The message about the last action. */
export type Remark =
  | Refusal
  | "nothing_to_undo"
  | "nothing_to_redo"
  | "nothing_to_clear"
  | "corner_set"
  | "larger_taken"
  | "larger_offered"
  | "too_many_marks"
  | "marks_kept"
  | "marks_back";

/** The target of the pointer: a block and the outward direction of its face. */
export interface Aim {
  cell: Cell;
  face: Cell;
}

export interface Marking extends Field, ToolSettings, History {
  scene: Scene;
  /** The scene is to be named, so nothing can be marked. */
  isLooking: boolean;
  act: Act;
  /** Flat indices of blocks and air. */
  marks: ReadonlySet<number>;
  /** "It is not there": the marks are kept, but not shown and not submitted. */
  isAbsent: boolean;
  cursor: Cell;
  /** The thing that Tab went to; the cursor stands on it. */
  thing: Thing | null;
  /** Whether the cursor or the pointer is used now. */
  by: "keys" | "pointer";
  aim: Aim | null;
  camera: Camera;
  /** The last step is a brush stroke that may continue. */
  isDrawing: boolean;
  remark: Remark | null;
}

export type MarkAction =
  | { type: "tool"; tool: Tool }
  | { type: "act"; act: Act }
  | { type: "target"; target: Target }
  | { type: "brush"; size: BrushSize }
  /** Uses the current tool at a cell. */
  | { type: "use"; at: Cell }
  /** The brush passes over these cells; without `begins` it continues the stroke. */
  | { type: "draw"; over: readonly Cell[]; begins: boolean }
  | { type: "corner"; at: Cell }
  | { type: "drop_corner" }
  | { type: "unmark"; cells: readonly number[] }
  | { type: "clear" }
  | { type: "undo" }
  | { type: "redo" }
  | { type: "absent" }
  | { type: "cursor"; at: Cell }
  | { type: "thing"; thing: Thing }
  | { type: "aim"; aim: Aim | null }
  | { type: "cut"; cut: Box }
  | { type: "ground" }
  | { type: "camera"; camera: Camera };

/** The start values from a draft. */
export interface Before {
  marks?: ReadonlySet<number>;
  isAbsent?: boolean;
  tool?: Tool;
  camera?: Camera | null;
}

export function middleOf({ low, high }: Box): Cell {
  return [Math.floor((low[0] + high[0]) / 2), Math.floor((low[1] + high[1]) / 2), Math.floor((low[2] + high[2]) / 2)];
}

export function begin(scene: Scene, before: Before = {}, isLooking = false): Marking {
  const grid = Grid.of(scene);
  const ground = groundOf(grid);
  const cut = interestOf(grid, ground, [scene.agent, scene.player]);
  return {
    scene,
    grid,
    ground,
    surface: surfaceOf(scene.size, ground),
    cut,
    isGroundHidden: false,
    isLooking,
    tool: before.tool ?? FIRST_TOOL,
    target: "blocks",
    brush: 1,
    corner: null,
    act: "mark",
    marks: before.marks ?? new Set(),
    isAbsent: before.isAbsent ?? false,
    ...NO_HISTORY,
    cursor: middleOf(wholeOf(scene.size)),
    thing: null,
    by: "pointer",
    aim: null,
    camera: before.camera ?? framed(seenIn(grid, cut)),
    isDrawing: false,
    remark: null,
  };
}

/** The blocks inside of a cut, as a box for the camera. */
export function seenIn(grid: Grid, cut: Box): Box {
  const { low, high } = grid.extent() ?? wholeOf(grid.size);
  const within = (axis: 0 | 1 | 2, end: Cell): number => Math.min(Math.max(end[axis], cut.low[axis]), cut.high[axis]);
  return {
    low: [within(0, low), within(1, low), within(2, low)],
    high: [within(0, high), within(1, high), within(2, high)],
  };
}

/** The marks that are shown and submitted. */
export function shownMarks({ marks, isAbsent }: Pick<Marking, "marks" | "isAbsent">): ReadonlySet<number> {
  return isAbsent ? NO_MARKS : marks;
}
const NO_MARKS: ReadonlySet<number> = new Set();

/** The cell that a tool acts on: the block at the pointer, or the air in front of its face. */
export function heldAt({ target }: Pick<Marking, "target">, { cell, face }: Aim): Cell {
  return target === "blocks" ? cell : [cell[0] + face[0], cell[1] + face[1], cell[2] + face[2]];
}

/** The tool with its settings; for a thing that Tab went to it is always the whole thing. */
export function inHand(marking: Marking): ToolSettings & Taken {
  const { target, brush, corner, act } = marking;
  const taken = { marks: shownMarks(marking), act };
  return marking.thing
    ? { tool: "whole", target: "blocks", brush, corner: null, ...taken }
    : { tool: marking.tool, target, brush, corner, ...taken };
}

/** The cell that a tool would act on now; null if there is none. */
export function pointed(marking: Marking): Cell | null {
  if (marking.by === "keys") return marking.cursor;
  return marking.aim && heldAt(marking, marking.aim);
}

export function reduceMarking(state: Marking, action: MarkAction): Marking {
  switch (action.type) {
    case "tool":
      return { ...state, tool: action.tool, corner: null, thing: null, remark: null };
    case "act":
      return { ...state, act: action.act, remark: null };
    case "target":
      return { ...state, target: action.target, corner: null, thing: null, remark: null };
    case "brush":
      return { ...state, tool: "brush", brush: action.size, corner: null, thing: null, remark: null };
    case "use":
      return applyTool(state, action.at);
    case "draw":
      return draw(state, action.over, action.begins);
    case "corner":
      return { ...state, corner: action.at, remark: "corner_set" };
    case "drop_corner":
      return state.corner ? { ...state, corner: null, remark: null } : state;
    case "unmark":
      return stroke(state, action.cells, "unmark", false);
    case "clear":
      if (shownMarks(state).size === 0) return { ...state, remark: "nothing_to_clear" };
      return stroke(state, state.marks, "unmark", false);
    case "undo":
      return undo(state);
    case "redo":
      return redo(state);
    case "absent":
      return absent(state);
    case "cursor":
      return {
        ...state,
        cursor: clamped(action.at, state.cut),
        thing: null,
        by: "keys",
        remark: state.remark === "corner_set" ? state.remark : null,
      };
    case "thing":
      return {
        ...state,
        cursor: standOf(state.grid.size, action.thing),
        thing: action.thing,
        corner: null,
        by: "keys",
        remark: null,
      };
    case "aim":
      return { ...state, aim: action.aim, thing: null, by: "pointer" };
    case "cut":
      return {
        ...state,
        cut: action.cut,
        cursor: clamped(state.cursor, action.cut),
        aim: null,
        thing: null,
        corner: null,
      };
    case "ground":
      return { ...state, isGroundHidden: !state.isGroundHidden, aim: null, thing: null };
    case "camera":
      return { ...state, camera: action.camera };
  }
}

function clamped(cell: Cell, { low, high }: Box): Cell {
  const within = (axis: 0 | 1 | 2): number => Math.min(Math.max(cell[axis], low[axis]), high[axis]);
  return [within(0), within(1), within(2)];
}

function applyTool(state: Marking, at: Cell): Marking {
  if (state.isLooking) return state;
  const there = { ...state, cursor: clamped(at, state.cut) };
  const hand = inHand(state);
  if (hand.tool === "box" && !state.corner) return { ...there, corner: at, remark: "corner_set" };
  const selection = selectionOf(state, hand, at);
  const after = { ...there, corner: null };
  if ("refused" in selection) return { ...after, remark: selection.refused };
  const done = stroke(after, selection.cells, state.act, false);
  if (done.remark || state.act === "unmark") return done;
  return { ...done, remark: selection.isLarger ? "larger_taken" : selection.hasLarger ? "larger_offered" : null };
}

function draw(state: Marking, over: readonly Cell[], begins: boolean): Marking {
  if (state.isLooking) return state;
  const begun = begins ? { ...state, isDrawing: false, remark: null } : state;
  const cells = new Set<number>();
  for (const at of over) {
    const selection = selectionOf(state, inHand(state), at);
    // Passing over places with nothing to mark is no mistake.
    if ("cells" in selection) for (const cell of selection.cells) cells.add(cell);
  }
  if (cells.size === 0) return begun;
  const drawn = stroke(begun, cells, state.act, begun.isDrawing);
  return { ...drawn, isDrawing: begun.isDrawing || drawn.past !== begun.past };
}

function stroke(state: Marking, cells: Iterable<number>, act: Act, joins: boolean): Marking {
  const remark = state.isAbsent && state.marks.size > 0 ? "marks_back" : null;
  const shown = { ...state, isAbsent: false, isDrawing: false, remark } as const;
  // Hidden marks are shown first: marks that cannot be seen are not removed.
  const step = state.isAbsent && act === "unmark" ? null : stepOf(state.marks, cells, act === "mark");
  if (!step) return shown;
  if (state.marks.size + step.on.length > MOST_CELLS) return { ...state, remark: "too_many_marks" };
  return { ...shown, marks: apply(state.marks, step), ...remember(state, step, joins) };
}

function undo(state: Marking): Marking {
  if (state.corner) return { ...state, corner: null, remark: null };
  if (state.isAbsent) return absent(state);
  const step = state.past.at(-1);
  if (!step) return { ...state, remark: "nothing_to_undo" };
  return {
    ...state,
    marks: apply(state.marks, inverse(step)),
    past: state.past.slice(0, -1),
    future: [...state.future, step],
    isDrawing: false,
    remark: null,
  };
}

function redo(state: Marking): Marking {
  const step = state.future.at(-1);
  if (!step || state.isAbsent) return { ...state, remark: "nothing_to_redo" };
  return {
    ...state,
    marks: apply(state.marks, step),
    past: [...state.past, step],
    future: state.future.slice(0, -1),
    isDrawing: false,
    remark: null,
  };
}

function absent(state: Marking): Marking {
  const hasMarks = state.marks.size > 0;
  if (state.isAbsent) return { ...state, isAbsent: false, remark: hasMarks ? "marks_back" : null };
  return { ...state, isAbsent: true, corner: null, remark: hasMarks ? "marks_kept" : null };
}

/** How many marks are hidden by the cut or the hidden ground. They are submitted all the same. */
export function outOfSight(marking: Marking): number {
  const { grid, cut, ground, isGroundHidden } = marking;
  const whole = wholeOf(grid.size);
  const isCut = [0, 1, 2].some((axis) => cut.low[axis] !== whole.low[axis] || cut.high[axis] !== whole.high[axis]);
  if (!isCut && !isGroundHidden) return 0;
  let count = 0;
  for (const index of shownMarks(marking)) {
    if (!isWithin(cut, ...cellOf(grid.size, index)) || (isGroundHidden && ground.has(index))) count += 1;
  }
  return count;
}

export function isMarked(marking: Marking, cell: Cell): boolean {
  return shownMarks(marking).has(indexOf(marking.grid.size, ...cell));
}
