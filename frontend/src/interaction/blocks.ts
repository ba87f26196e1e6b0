/** Which blocks are at hand at once, and which are in the list. Pure. */

import { material } from "../world/palette";

/** So many fit beside each other under the world. */
export const MOST_AT_HAND = 16;

/** All, where there are few; else the wools, which come in every colour, and what of the rest there is room for. */
export function atHand(blocks: readonly number[]): readonly number[] {
  if (blocks.length <= MOST_AT_HAND) return blocks;
  const wools = blocks.filter((id) => /wool/i.test(material(id).name));
  const others = blocks.filter((id) => !wools.includes(id));
  const chosen = new Set([...wools, ...others].slice(0, MOST_AT_HAND));
  return blocks.filter((id) => chosen.has(id));
}

/** The next one, or the one before, round and round. */
export function besides(blocks: readonly number[], id: number, by: 1 | -1): number {
  const at = blocks.indexOf(id);
  return blocks[(Math.max(at, 0) + (at < 0 ? 0 : by) + blocks.length) % blocks.length] ?? id;
}
