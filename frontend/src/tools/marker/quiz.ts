/** The marker as a question of a quiz. */

import { wholeQuizApi, wholeQuizOf, type WholeQuiz } from "../../work/quiz";
import type { Answer, Draft, Payload } from "./payload";

export type Quiz = WholeQuiz<Payload, Answer>;

export const quizOf = wholeQuizOf<Payload, Answer>;

export const quizApi = wholeQuizApi<Payload, Answer, Draft>("marker", (answer, saved_at) => ({
  ...answer,
  position: answer.frame,
  active_s: 0,
  saved_at,
}));
