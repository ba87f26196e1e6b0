/** Which blocks have a button of their own, and the next block in the list. Pure. */

import { material } from "../../world/palette";

/** This many buttons fit side by side under the world. */
export const MOST_AT_HAND = 16;

/** All blocks if they fit; otherwise the wools, which come in all colours, and as many others as fit. */
export function atHand(blocks: readonly number[]): readonly number[] {
  if (blocks.length <= MOST_AT_HAND) return blocks;
  const wools = blocks.filter((id) => /wool/i.test(material(id).name));
  const others = blocks.filter((id) => !wools.includes(id));
  const chosen = new Set([...wools, ...others].slice(0, MOST_AT_HAND));
  return blocks.filter((id) => chosen.has(id));
}

/** The next or previous block, starting again at the other end. */
export function neighbourOf(blocks: readonly number[], id: number, by: 1 | -1): number {
  const at = blocks.indexOf(id);
  return blocks[(Math.max(at, 0) + (at < 0 ? 0 : by) + blocks.length) % blocks.length] ?? id;
}
