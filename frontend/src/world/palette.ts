/** The materials: the name, colour and colour word of each block id. */

import table from "@lib/voxels/table.json";

export interface Material {
  id: number;
  name: string;
  /** #rrggbb */
  colour: string;
  word: string;
}

export const MATERIALS: readonly Material[] = table.palette;

const BY_ID = new Map(MATERIALS.map((one) => [one.id, one]));

/** An unknown id gets a visible colour and its number as name. */
export function material(id: number): Material {
  return BY_ID.get(id) ?? { id, name: `Block ${id}`, colour: "#ff00ff", word: "unknown" };
}

/** Red, green, blue in [0, 1] of #rrggbb. */
export function channels(colour: string): [red: number, green: number, blue: number] {
  const value = Number.parseInt(colour.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}
