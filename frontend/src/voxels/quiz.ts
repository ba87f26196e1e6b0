/** A scene as a question of a quiz: the server put it into the page, its answer is sent by a form of the page. */

import { AS_LONG_AS_IT_TAKES_MS, wholeQuizApi, wholeQuizOf, type WholeQuiz } from "../shared/quiz";
import type { WorkApi } from "../shared/work";
import { indexOf } from "../world/frame";
import type { Answer, Claim, Draft, Payload } from "./payload";
import { toRuns } from "./runs";

export type Quiz = WholeQuiz<Payload, Answer>;

/** What the page says; null where it is no quiz. */
export const quizOf = (data: DOMStringMap): Quiz | null => wholeQuizOf(data);

/** The work API of a page with one question: the form is the only way out. */
export function quizApi(quiz: Quiz, send: (answer: Answer) => void, reload: () => void, now: () => number = Date.now): WorkApi<Claim, Answer, Draft> {
  return wholeQuizApi((at) => claimOf(quiz, at), send, reload, now);
}

function claimOf({ key, payload, answer }: Quiz, now: number): Claim {
  return {
    assignment: key,
    lease_expires_at: new Date(now + AS_LONG_AS_IT_TAKES_MS).toISOString(),
    tool: "voxels",
    payload,
    draft: answer && draftOf(payload, answer, new Date(now).toISOString()),
  };
}

/** What was answered before, as something to go on with. */
function draftOf({ scene: { size } }: Payload, answer: Answer, saved_at: string): Draft {
  return {
    marks: "voxels" in answer ? toRuns(answer.voxels.map((cell) => indexOf(size, ...cell))) : "",
    absent: "absent" in answer || "nothing" in answer,
    tool: "one",
    camera: null,
    text: "phrase" in answer ? answer.phrase : "",
    active_s: 0,
    saved_at,
  };
}
