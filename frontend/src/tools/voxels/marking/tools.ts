/** The five tools, and the cells that each selects. */

import type { Cell } from "../../../world/frame";
import { between, brush, flood, one, type Field, type Selection, type Target } from "./selection";
import { thingAt, type Taken } from "./things";

export type Tool = "one" | "box" | "same" | "whole" | "brush";
export type Act = "mark" | "unmark";
export type BrushSize = 1 | 2 | 3;

export const TOOLS: readonly Tool[] = ["one", "box", "same", "whole", "brush"];
export const BRUSH_SIZES: readonly BrushSize[] = [1, 2, 3];

/** The tool of a worker who has chosen none. */
export const FIRST_TOOL: Tool = "whole";

export const isTool = (word: unknown): word is Tool => TOOLS.includes(word as Tool);

/** Tools that draw over the picture; with the others a drag turns it. */
export const isDrawn = (tool: Tool): boolean => tool === "box" || tool === "brush";

export interface ToolSettings {
  tool: Tool;
  target: Target;
  brush: BrushSize;
  /** The first corner of the box, once it is set. */
  corner: Cell | null;
}

/** The selection of the current tool at a cell; a box without a corner selects the cell. */
export function selectionOf(field: Field, settings: ToolSettings & Taken, at: Cell): Selection {
  const { tool, target, brush: size, corner, ...taken } = settings;
  switch (tool) {
    case "one":
      return one(field, target, at);
    case "box":
      return between(field, target, corner ?? at, at);
    case "same":
      return flood(field, target, at);
    case "whole":
      return thingAt(field, target, at, taken);
    case "brush":
      return brush(field, target, at, size);
  }
}
