/**
 * A task as a question of a quiz: what the page holds of it, and a work API that sends the answer through a form of the
 * page.
 */

import type { ClaimOf, WorkApi } from "./api";

/** The question and its place in the quiz. */
export interface QuizPlace {
  /** Identifies this question of this attempt. */
  key: string;
  ask: string;
  /** `Question 3 of 4`. */
  where: string;
  /** The address of the questions before; "" for the first. */
  back: string;
  /** The words of the link to it. */
  backTo: string;
}

export function placeOf(data: DOMStringMap): QuizPlace {
  return {
    key: data.quizKey ?? "",
    ask: data.quizAsk ?? "",
    where: data.quizWhere ?? "",
    back: data.quizBack ?? "",
    backTo: data.quizBackTo ?? "Back to the questions before",
  };
}

/** A whole task in the page, with the earlier answer if the worker comes back to it. */
export interface WholeQuiz<P, A> extends QuizPlace {
  payload: P;
  answer: A | null;
}

/** The question in the page; null if the page is no quiz. */
export function wholeQuizOf<P, A>(data: DOMStringMap): WholeQuiz<P, A> | null {
  if (!data.quizPayload) return null;
  return {
    ...placeOf(data),
    payload: JSON.parse(data.quizPayload) as P,
    answer: JSON.parse(data.quizAnswer || "null") as A | null,
  };
}

/** Leaves the page, so the promise never resolves. */
export const leave = (go: () => void): Promise<never> => {
  go();
  return new Promise(() => {});
};

/** A quiz has no lease, so its end is far away. */
export const QUIZ_LEASE_MS = 365 * 24 * 3600 * 1000;

/** A work API that can claim and submit, and refuses everything else. */
export function questionApi<C, A, D>(
  deps: Pick<WorkApi<C, A, D>, "claim" | "submit">,
  now: () => number,
): WorkApi<C, A, D> {
  const refuse = (): Promise<never> => Promise.reject(new Error("a question of a quiz is answered, nothing else"));
  return {
    ...deps,
    ahead: () => Promise.resolve(null),
    correct: refuse,
    saveDraft: () => Promise.resolve(),
    heartbeat: () => Promise.resolve(now() + QUIZ_LEASE_MS),
    release: refuse,
    report: refuse,
    workStatus: refuse,
    summary: refuse,
    closeNotice: refuse,
    serverNow: now,
  };
}

/** Turns an earlier answer to the question into a draft, so that the worker can change it. */
type DraftOf<P, A, D> = (answer: A, saved_at: string, payload: P) => D;

/** The `quizApi` of a tool whose quiz questions are whole tasks: the page holds the task, one form sends the answer. */
export function wholeQuizApi<P, A, D>(tool: string, draftOf: DraftOf<P, A, D>) {
  return (
    quiz: WholeQuiz<P, A>,
    send: (answer: A) => Promise<void>,
    reload: () => void,
    now: () => number = Date.now,
  ): WorkApi<ClaimOf<P, Partial<D> | null>, A, D> => {
    let isClaimed = false;
    const claim = (): ClaimOf<P, Partial<D> | null> => {
      const at = now();
      return {
        assignment: quiz.key,
        lease_expires_at: new Date(at + QUIZ_LEASE_MS).toISOString(),
        tool,
        payload: quiz.payload,
        draft: quiz.answer && draftOf(quiz.answer, new Date(at).toISOString(), quiz.payload),
      };
    };
    return questionApi(
      {
        claim: () => {
          // Signed addresses in the payload may have expired by a second claim: the server makes new ones with the page.
          if (isClaimed) return leave(reload);
          isClaimed = true;
          return Promise.resolve(claim());
        },
        submit: (_assignment, answer) => send(answer),
      },
      now,
    );
  };
}

/** Sends the answer to the question of the page: see `handIn`, and `practice.ts` for practice tasks. */
export type HandIn = (answer: unknown) => Promise<void>;

/** Fills in the form of the quiz and sends it; the server answers with the next page. */
export const handIn: HandIn = (answer) =>
  leave(() => {
    const form = document.querySelector<HTMLFormElement>("form[data-quiz-form]");
    const value = form?.querySelector<HTMLInputElement>("[data-quiz-value]");
    if (!form || !value) throw new Error("no form to hand in");
    value.value = JSON.stringify(answer);
    form.submit();
  });
