/** The steps that the coach of the marker's practice asks for. */

import type { CoachStep } from "../../work/practice";
import type { MarkerState } from "./state";

export const COACH: readonly CoachStep<MarkerState>[] = [
  {
    say: "Read what the agent was asked to do. Then press Space to play the video.",
    isDone: (now, before) => now.rate !== 0 && before.rate === 0,
  },
  {
    say: "Stop it with Space. Then go one picture at a time: the keys , and . go back and on.",
    isDone: (now, before) =>
      now.task === before.task && now.rate === 0 && before.rate === 0 && now.position !== before.position,
  },
  {
    say: "Find the first picture in which it is done. Press S there. If it fails first, press F there.",
    isDone: (now, before) => now.marker !== null && now.marker !== before.marker,
  },
  { say: "Look at your mark once more. If it is right, press Enter.", isDone: () => false },
];
