/** The marker as a question of a quiz: one task that the server put into the page, its answer sent by a form of the page. */

import type { WorkApi } from "./api";
import type { Answer, Claim, Draft, Payload } from "./payload";

export interface Quiz {
  /** Names this question of this attempt. */
  key: string;
  payload: Payload;
  /** What was answered before, when one comes back to it. */
  answer: Answer | null;
  ask: string;
  /** `Question 3 of 4`. */
  where: string;
  /** The address of the questions before it; "" if it is the first. */
  back: string;
}

/** What the page says; null where it is no quiz. */
export function quizOf(data: DOMStringMap): Quiz | null {
  if (!data.quizPayload) return null;
  return {
    key: data.quizKey ?? "",
    payload: JSON.parse(data.quizPayload) as Payload,
    answer: JSON.parse(data.quizAnswer || "null") as Answer | null,
    ask: data.quizAsk ?? "",
    where: data.quizWhere ?? "",
    back: data.quizBack ?? "",
  };
}

/** Leads away from the page, so it never comes back. */
const leave = (go: () => void): Promise<never> => {
  go();
  return new Promise(() => {});
};
const AS_LONG_AS_IT_TAKES_MS = 365 * 24 * 3600 * 1000;

/** The work API of a page with one question: nothing is claimed, there is no lease, and the form is the only way out. */
export function quizApi(quiz: Quiz, send: (answer: Answer) => void, reload: () => void, now: () => number = Date.now): WorkApi {
  let given = false;
  const refuse = (): Promise<never> => Promise.reject(new Error("a question of a quiz is answered, nothing else"));
  return {
    claim: () => {
      // Asked again, the address of the video may have expired: the server makes a new one.
      if (given) return leave(reload);
      given = true;
      return Promise.resolve(claimOf(quiz, now()));
    },
    ahead: () => Promise.resolve(null),
    submit: (_assignment, answer) => leave(() => send(answer)),
    saveDraft: () => Promise.resolve(),
    heartbeat: () => Promise.resolve(now() + AS_LONG_AS_IT_TAKES_MS),
    release: refuse,
    report: refuse,
    standing: refuse,
    closeNotice: refuse,
    serverNow: now,
  };
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
