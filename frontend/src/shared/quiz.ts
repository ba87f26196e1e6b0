/** A task as a question of a quiz, whatever its tool: what the page says about it, and a work API whose only way out is a form of the page. */

import type { WorkApi } from "./work";

/** Which question it is. */
export interface QuizPlace {
  /** Names this question of this attempt. */
  key: string;
  ask: string;
  /** `Question 3 of 4`. */
  where: string;
  /** The address of the questions before it; "" if it is the first. */
  back: string;
}

export function placeOf(data: DOMStringMap): QuizPlace {
  return { key: data.quizKey ?? "", ask: data.quizAsk ?? "", where: data.quizWhere ?? "", back: data.quizBack ?? "" };
}

/** A whole task in the page, and what it was answered with before, when one comes back to it. */
export interface WholeQuiz<P, A> extends QuizPlace {
  payload: P;
  answer: A | null;
}

/** What the page says; null where it is no quiz. */
export function wholeQuizOf<P, A>(data: DOMStringMap): WholeQuiz<P, A> | null {
  if (!data.quizPayload) return null;
  return { ...placeOf(data), payload: JSON.parse(data.quizPayload) as P, answer: JSON.parse(data.quizAnswer || "null") as A | null };
}

/** Leads away from the page, so it never comes back. */
export const leave = (go: () => void): Promise<never> => {
  go();
  return new Promise(() => {});
};

/** There is no lease. */
export const AS_LONG_AS_IT_TAKES_MS = 365 * 24 * 3600 * 1000;

/** A work API that is asked and answered, and refuses whatever else there is at work. */
export function questionApi<C, A, D>(deps: Pick<WorkApi<C, A, D>, "claim" | "submit">, now: () => number): WorkApi<C, A, D> {
  const refuse = (): Promise<never> => Promise.reject(new Error("a question of a quiz is answered, nothing else"));
  return {
    ...deps,
    ahead: () => Promise.resolve(null),
    saveDraft: () => Promise.resolve(),
    heartbeat: () => Promise.resolve(now() + AS_LONG_AS_IT_TAKES_MS),
    release: refuse,
    report: refuse,
    standing: refuse,
    closeNotice: refuse,
    serverNow: now,
  };
}

/** The work API of a page with one whole task: it is claimed once, and answered once. */
export function wholeQuizApi<C, A, D>(claimOf: (now: number) => C, send: (answer: A) => void, reload: () => void, now: () => number): WorkApi<C, A, D> {
  let given = false;
  return questionApi(
    {
      claim: () => {
        // Asked again, what it leads to may have expired: the server makes it new.
        if (given) return leave(reload);
        given = true;
        return Promise.resolve(claimOf(now()));
      },
      submit: (_assignment, answer) => leave(() => send(answer)),
    },
    now,
  );
}

/** Fill in the form of the quiz and send it; the server answers with the next page. */
export function handIn(answer: unknown): void {
  const form = document.querySelector<HTMLFormElement>("form[data-quiz-form]");
  const value = form?.querySelector<HTMLInputElement>("[data-quiz-value]");
  if (!form || !value) throw new Error("no form to hand in");
  value.value = JSON.stringify(answer);
  form.submit();
}
