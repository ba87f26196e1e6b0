/**
 * The styles of painted sets of voxels. Each has its own colour and its own pattern, so that one of them is enough to
 * tell them apart.
 */

export type Pattern = "solid" | "stripes" | "dots" | "grid" | "checks";

export type PaintStyle =
  | "marked"
  | "marked-air"
  | "preview"
  | "only-a"
  | "only-b"
  | "both"
  | "share-1"
  | "share-2"
  | "share-3"
  | "share-4"
  | "share-5"
  | "flash";

export interface Look {
  colour: string;
  /** The colour between the lines of the pattern, if it is another. */
  between?: string;
  pattern: Pattern;
}

/** Shares of the workers who marked a voxel go from pale and loose to dark and dense. */
export const PAINT_STYLES: Record<PaintStyle, Look> = {
  // White between the stripes: on red or pink blocks the colour alone would be lost.
  marked: { colour: "#f0128c", between: "#ffffff", pattern: "stripes" },
  "marked-air": { colour: "#f0128c", pattern: "dots" },
  preview: { colour: "#00b4f0", pattern: "grid" },
  "only-a": { colour: "#0a78d6", pattern: "stripes" },
  "only-b": { colour: "#f08200", pattern: "dots" },
  both: { colour: "#00a078", pattern: "solid" },
  "share-1": { colour: "#fde04a", pattern: "dots" },
  "share-2": { colour: "#f7a13a", pattern: "stripes" },
  "share-3": { colour: "#e0556a", pattern: "grid" },
  "share-4": { colour: "#a02f8e", pattern: "checks" },
  "share-5": { colour: "#4b1c8c", pattern: "solid" },
  flash: { colour: "#fff14a", pattern: "solid" },
};

const FILLS: Partial<Record<PaintStyle, { thin: number; dense: number }>> = {
  marked: { thin: 0.6, dense: 0.92 },
  "marked-air": { thin: 0.16, dense: 0.75 },
  preview: { thin: 0.22, dense: 0.75 },
  flash: { thin: 0.75, dense: 0.75 },
};

/** The opacity between the lines or dots of the pattern (`thin`) and on them (`dense`). */
export function fillOf(style: PaintStyle): { thin: number; dense: number } {
  return (
    FILLS[style] ?? (PAINT_STYLES[style].pattern === "solid" ? { thin: 0.66, dense: 0.66 } : { thin: 0.4, dense: 0.88 })
  );
}

/** The drawing order: marks in the air and temporary marks must not hide the marks behind them. */
export const ORDER: readonly PaintStyle[] = [
  "both",
  "only-a",
  "only-b",
  "share-5",
  "share-4",
  "share-3",
  "share-2",
  "share-1",
  "marked",
  "marked-air",
  "preview",
  "flash",
];

export const PATTERNS: readonly Pattern[] = ["solid", "stripes", "dots", "grid", "checks"];
