/** The guided first minute of a worker's first session: walk, give one command, judge it. Pure. */

import type { InteractionState } from "./state";

export interface FirstMinute {
  /** The number of steps that are done, 0 to 3. */
  done: number;
  say: string;
}

const STEPS = [
  "Press Start, then walk a little: press on the world, and use the keys W, A, S, D, or the arrows on a phone.",
  "Tell the assistant to do one thing, such as “build a red cube here”. Then press Enter.",
  "Watch what it does. Then say how it went: there will be a question for you.",
] as const;
const AFTER = "That was one. Go on like this until the clock says that you may finish.";
export const STEP_COUNT = STEPS.length;

/**
 * What to do next in the first session; null in later ones, and where the worker wants no help. A later step that is
 * done takes the earlier ones with it.
 */
export function firstMinute({ live, workStatus, wantsHelp }: InteractionState): FirstMinute | null {
  if (!wantsHelp || live.phase === "ended" || workStatus?.progress.done !== 0) return null;
  const hasCommanded = live.talk.some(({ who }) => who === "you");
  if (hasCommanded && live.command === null) return { done: STEP_COUNT, say: AFTER };
  const done = hasCommanded ? 2 : live.hasWalked ? 1 : 0;
  return { done, say: STEPS[done] };
}
