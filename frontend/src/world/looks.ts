/** How painted sets of voxels look. Each has a colour and a pattern of its own, so that neither is needed to tell them apart. */

export type Pattern = "solid" | "stripes" | "dots" | "grid" | "checks";

export type Look =
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

/** Shares of the workers who marked a voxel go from pale and loose to dark and dense. */
export const LOOKS: Record<Look, { colour: string; pattern: Pattern }> = {
  marked: { colour: "#f0128c", pattern: "stripes" },
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

const FILLS: Partial<Record<Look, { thin: number; dense: number }>> = {
  "marked-air": { thin: 0.16, dense: 0.75 },
  preview: { thin: 0.22, dense: 0.75 },
  flash: { thin: 0.75, dense: 0.75 },
};

/** How much of what lies behind is covered: between the lines or dots of the pattern, and by them. */
export function fillOf(look: Look): { thin: number; dense: number } {
  return FILLS[look] ?? (LOOKS[look].pattern === "solid" ? { thin: 0.66, dense: 0.66 } : { thin: 0.4, dense: 0.88 });
}

/** Later ones are drawn over earlier ones: what lies in the air or comes and goes must not hide what is marked behind it. */
export const ORDER: readonly Look[] = [
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
