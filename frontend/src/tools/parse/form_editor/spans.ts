/** Spans of words as a form stores them: `[0, [first, last]]`, or `[0, [[first, last], …]]` for separate runs. */

import { soundRuns, type Run, type Runs } from "../spans";
import type { Json } from "./grammar";

export function runsOfSpan(value: Json | undefined, count: number): Run[] {
  if (!Array.isArray(value) || !Array.isArray(value[1])) return [];
  const inner = value[1] as readonly Json[];
  return soundRuns(inner.every((run) => Array.isArray(run)) ? inner : [inner], count);
}

/** `[0, []]` if no word is marked yet. */
export function spanOf(runs: Runs): Json {
  const [only] = runs;
  return [0, only && runs.length === 1 ? [...only] : runs.map((run) => [...run])];
}
