/** The marker as a question of a quiz: one task that the server put into the page, its answer sent by a form of the page. */

import { AS_LONG_AS_IT_TAKES_MS, wholeQuizApi, wholeQuizOf, type WholeQuiz } from "../shared/quiz";
import type { WorkApi } from "./api";
import type { Answer, Claim, Draft, Payload } from "./payload";

export type Quiz = WholeQuiz<Payload, Answer>;

/** What the page says; null where it is no quiz. */
export const quizOf = (data: DOMStringMap): Quiz | null => wholeQuizOf(data);

/** The work API of a page with one question: nothing is claimed, there is no lease, and the form is the only way out. */
export function quizApi(quiz: Quiz, send: (answer: Answer) => void, reload: () => void, now: () => number = Date.now): WorkApi {
  // Asked for a second time, the address of the video may have expired: the page is loaded anew.
  return wholeQuizApi((at) => claimOf(quiz, at), send, reload, now);
}

function claimOf(quiz: Quiz, now: number): Claim {
  const { answer } = quiz;
  const draft: Draft | null = answer && { ...answer, position: answer.frame, active_s: 0, saved_at: new Date(now).toISOString() };
  return {
    assignment: quiz.key,
    lease_expires_at: new Date(now + AS_LONG_AS_IT_TAKES_MS).toISOString(),
    tool: "marker",
    payload: quiz.payload,
    draft,
  };
}
