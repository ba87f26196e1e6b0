/** Words of a command as runs `[first, last]`, inclusive, in order, with other words between them. */

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

/** All words from one to the other, in either order, marked or unmarked. */
export function painted(runs: Runs, from: number, to: number, on: boolean): Run[] {
  const words = new Set(wordsOf(runs));
  for (let word = Math.min(from, to); word <= Math.max(from, to); word += 1) {
    if (on) words.add(word);
    else words.delete(word);
  }
  return runsOf(words);
}

/** Runs as anything may have stored them, cut to the words that there are. */
export function soundRuns(stored: unknown, count: number): Run[] {
  if (!Array.isArray(stored)) return [];
  const pairs = stored.filter((run): run is [number, number] => Array.isArray(run) && run.length === 2 && run.every((n) => Number.isInteger(n) && n >= 0 && n < count));
  return runsOf(wordsOf(pairs));
}

export function sameRuns(a: Runs, b: Runs): boolean {
  return a.length === b.length && a.every(([first, last], i) => first === b[i]?.[0] && last === b[i]?.[1]);
}

/** The marked words as a reader sees them: `tall … tower`. */
export function said(tokens: readonly string[], runs: Runs): string {
  return runs.map(([first, last]) => tokens.slice(first, last + 1).join(" ")).join(" … ");
}

// A selection in the making ------------------------------------------------------------------------------------------

/** One stroke over the words, by mouse, finger or Shift: from where, to where, and what stood there before. */
export interface Stroke {
  from: number;
  to: number;
  on: boolean;
  base: Runs;
}

/** A stroke marks if it begins on an unmarked word, and unmarks if it begins on a marked one. */
export function beginStroke(runs: Runs, at: number): Stroke {
  return { from: at, to: at, on: !has(runs, at), base: runs };
}

export function strokeRuns(stroke: Stroke): Run[] {
  return painted(stroke.base, stroke.from, stroke.to, stroke.on);
}
