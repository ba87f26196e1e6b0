/** Doubts about the name that a worker gives to a thing. Pure, and never certain: the worker is asked once. */

import type { Grid } from "../../world/grid";
import { material, MATERIALS } from "../../world/palette";

/** Why a name may be a slip: it has no word, or names a colour that is not in the scene. */
export type Doubt = { is: "no_word" } | { is: "no_such_colour"; word: string };

const ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
/** So many neighbours on the keyboard, or consonants, in a row make no word. */
const MOST_NEIGHBOURS = 3;
const TOO_MANY_CONSONANTS = /[^aeiouy\W\d]{5}/;

/** Colour words for which people use each other. */
const ALIKE: readonly (readonly string[])[] = [
  ["gray", "grey", "silver", "white", "black", "light gray"],
  ["blue", "light blue", "cyan", "turquoise"],
  ["green", "lime", "cyan"],
  ["pink", "magenta", "purple", "violet"],
  ["brown", "orange"],
  ["red", "pink"],
  ["gold", "golden", "yellow"],
];
const COLOURS: ReadonlySet<string> = new Set(
  [...MATERIALS.map(({ word }) => word), ...ALIKE.flat()].flatMap((word) => word.split(" ")).filter(isColour),
);

function isColour(word: string): boolean {
  return word !== "light" && word !== "unknown";
}

export function doubtAbout(name: string, grid: Grid): Doubt | null {
  const words = name.toLowerCase().match(/\p{L}+/gu) ?? [];
  if (!words.some(isWord)) return { is: "no_word" };
  const there = new Set([...grid.counts().keys()].flatMap((id) => material(id).word.split(" ")));
  const isThere = (colour: string): boolean =>
    there.has(colour) || ALIKE.some((group) => group.includes(colour) && group.some((one) => there.has(one)));
  const missing = words.find((word) => COLOURS.has(word) && !isThere(word));
  return missing ? { is: "no_such_colour", word: missing } : null;
}

/** Words of other alphabets are taken as they are. */
function isWord(word: string): boolean {
  if (!/^[a-z]+$/.test(word)) return true;
  if (word.length < 2 || !/[aeiouy]/.test(word) || new Set(word).size === 1) return false;
  return !TOO_MANY_CONSONANTS.test(word) && !isKeyboardRun(word);
}

function isKeyboardRun(word: string): boolean {
  const both = ROWS.flatMap((row) => [row, [...row].reverse().join("")]);
  for (let from = 0; from + MOST_NEIGHBOURS < word.length; from += 1) {
    const part = word.slice(from, from + MOST_NEIGHBOURS + 1);
    if (both.some((row) => row.includes(part))) return true;
  }
  return false;
}
