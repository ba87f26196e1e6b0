/** The five tools: their names, and what each takes at a cell. */

import type { Cell } from "../world/frame";
import { between, brush, component, flood, one, type Field, type Reach, type Target } from "./reach";

export type Tool = "one" | "box" | "same" | "whole" | "brush";
export type Act = "mark" | "unmark";
export type BrushSize = 1 | 2 | 3;

export const TOOLS: readonly Tool[] = ["one", "box", "same", "whole", "brush"];
export const BRUSH_SIZES: readonly BrushSize[] = [1, 2, 3];

export const isTool = (word: unknown): word is Tool => TOOLS.includes(word as Tool);

/** Tools that are drawn over the picture; with the others a drag turns it. */
export const isDrawn = (tool: Tool): boolean => tool === "box" || tool === "brush";

export interface Grip {
  tool: Tool;
  target: Target;
  brush: BrushSize;
  /** The first corner of the box, once it is set. */
  corner: Cell | null;
}

/** What the tool in hand takes at a cell; the box with no corner yet, what is there. */
export function reachOf(field: Field, { tool, target, brush: size, corner }: Grip, at: Cell): Reach {
  switch (tool) {
    case "one":
      return one(field, target, at);
    case "box":
      return between(field, target, corner ?? at, at);
    case "same":
      return flood(field, target, at);
    case "whole":
      return component(field, target, at);
    case "brush":
      return brush(field, target, at, size);
  }
}
