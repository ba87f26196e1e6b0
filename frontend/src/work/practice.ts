/**
 * The practice task: the page holds one task, the server says whether an answer is right, and a coach says what to do
 * next. Nothing is stored but, in this browser, that the practice was passed.
 */

import { Problem, withRetries, type ApiClient } from "./http";
import { leave, type HandIn } from "./quiz";
import type { BrowserStorage } from "./storage";

/** The storage key of the version of the instructions that was last closed (`true` for pages without a version). */
export const READ = "instructions-read";
/** The storage key that says: this worker has passed the practice, or was let off. */
const PASSED = "practice-passed";
/** The code of a wrong answer to a practice task, for the page alone. */
export const WRONG = "practice_wrong";
/** After so many wrong answers the coach lets the worker go on without. */
export const ENOUGH_TRIES = 3;
/** The part of the work page's address that lets a worker in whose browser stores nothing. */
const LET_IN = "?practised";

/** One thing that the coach asks for. */
export interface CoachStep<S> {
  say: string;
  /** Whether this change of state was it. */
  isDone: (now: S, before: S) => boolean;
}

export interface CoachState {
  /** The number of steps that are done. */
  done: number;
  /** The number of wrong answers. */
  wrong: number;
  /** The server's words about the last wrong answer. */
  why: string;
  hasPassed: boolean;
}

export const NEW_COACH: CoachState = { done: 0, wrong: 0, why: "", hasPassed: false };

/** A later step that is done takes the earlier ones with it: whoever knows how may be quick. */
export function follow<S>(coach: CoachState, steps: readonly CoachStep<S>[], now: S, before: S): CoachState {
  const at = steps.findLastIndex((step, index) => index >= coach.done && step.isDone(now, before));
  return at < 0 ? coach : { ...coach, done: at + 1 };
}

export const tryOnce = (coach: CoachState, why: string): CoachState => ({ ...coach, wrong: coach.wrong + 1, why });

/** Whether the work page sends the worker to the practice now. */
export function mustPractise(data: DOMStringMap, storage: BrowserStorage, search: string): boolean {
  return (
    Boolean(data.practiceUrl) &&
    data.practiceFirst !== undefined &&
    search !== LET_IN &&
    storage.read<boolean>(PASSED) !== true
  );
}

export const hasPassed = (storage: BrowserStorage): boolean => storage.read<boolean>(PASSED) === true;

/** Notes that the worker need not practise again, and need not read the instructions at once. */
export function notePassed(storage: BrowserStorage, instructionsVersion: string): void {
  storage.write(PASSED, true);
  storage.write(READ, instructionsVersion || true);
}

export const afterPractice = (workUrl: string): string => `${workUrl}${LET_IN}`;

/** Asks the server about an answer. A right one ends the page's task; a wrong one is a refusal that says why. */
export function practiceHandIn(client: ApiClient, said: { right: () => void; wrong: (why: string) => void }): HandIn {
  return async (answer) => {
    const { body } = await withRetries(() => client.send("POST", "practice/", { answer }));
    const { right, why } = body as { right: boolean; why: string | null };
    if (right) return leave(said.right);
    said.wrong(why ?? "");
    throw new Problem(422, WRONG, why ?? "");
  };
}
