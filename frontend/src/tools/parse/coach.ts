/** The steps that the coach of the parse tool's practice asks for. */

import type { CoachStep } from "../../work/practice";
import { isConfirm, type ParseState } from "./state";

const atTheEnd = ({ task }: ParseState): boolean => task !== null && isConfirm(task.payload);

export const COACH: readonly CoachStep<ParseState>[] = [
  {
    say: "Read the sentence. Then answer the question below it: tap an answer, or press its key.",
    isDone: (now, before) => before.task !== null && now.task !== before.task,
  },
  {
    say: "Go on like that. Where words are asked for, tap the words and press Enter. Backspace goes back.",
    isDone: (now, before) => atTheEnd(now) && !atTheEnd(before),
  },
  {
    say: "Now read the whole of it. If it is right, press Enter. If not, tap the part that is wrong.",
    isDone: () => false,
  },
];
