/** Words of a command as runs `[first, last]`, both included, in order and not touching. */

export type Run = readonly [first: number, last: number];
export type Runs = readonly Run[];

export function runsOf(words: Iterable<number>): Run[] {
  const runs: [number, number][] = [];
  for (const word of [...new Set(words)].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && word === last[1] + 1) last[1] = word;
    else runs.push([word, word]);
  }
  return runs;
}

export function wordsOf(runs: Runs): number[] {
  return runs.flatMap(([first, last]) => Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i));
}

export function has(runs: Runs, word: number): boolean {
  return runs.some(([first, last]) => first <= word && word <= last);
}

/** All words between two places, in either order, marked or unmarked. */
export function painted(runs: Runs, from: number, to: number, on: boolean): Run[] {
  const words = new Set(wordsOf(runs));
  for (let word = Math.min(from, to); word <= Math.max(from, to); word += 1) {
    if (on) words.add(word);
    else words.delete(word);
  }
  return runsOf(words);
}

/** Stored runs, checked and limited to the existing words. */
export function soundRuns(stored: unknown, count: number): Run[] {
  if (!Array.isArray(stored)) return [];
  const pairs = stored.filter(
    (run): run is [number, number] =>
      Array.isArray(run) && run.length === 2 && run.every((n) => Number.isInteger(n) && n >= 0 && n < count),
  );
  return runsOf(wordsOf(pairs));
}

export function sameRuns(a: Runs, b: Runs): boolean {
  return a.length === b.length && a.every(([first, last], i) => first === b[i]?.[0] && last === b[i]?.[1]);
}

/** The marked words as text: `tall … tower`. */
export function said(tokens: readonly string[], runs: Runs): string {
  return runs.map(([first, last]) => tokens.slice(first, last + 1).join(" ")).join(" … ");
}

// Selecting words -----------------------------------------------------------------------------------------------------

/** One stroke over the words, by mouse, finger or Shift: its ends, its effect, and the marks before it. */
export interface Stroke {
  from: number;
  to: number;
  on: boolean;
  base: Runs;
}

/** A stroke that starts on an unmarked word marks; one that starts on a marked word unmarks. */
export function beginStroke(runs: Runs, at: number): Stroke {
  return { from: at, to: at, on: !has(runs, at), base: runs };
}

export function strokeRuns(stroke: Stroke): Run[] {
  return painted(stroke.base, stroke.from, stroke.to, stroke.on);
}
