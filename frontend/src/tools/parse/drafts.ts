/** The draft of a step: the answers and the index of the current question. Anything may be stored. */

import { newerOf } from "../../work/drafts";
import type { Answers, Claim, Draft, Payload, Question, Value } from "./payload";
import { soundRuns } from "./spans";

export function newerDraft(claim: Claim, local: Partial<Draft> | null): Draft | null {
  return newerOf(claim.draft, local, (stored) => soundDraft(stored, claim.payload));
}

function soundDraft(stored: unknown, payload: Payload): Draft | null {
  if (typeof stored !== "object" || stored === null) return null;
  const draft = stored as Partial<Draft>;
  if (Number.isNaN(Date.parse(draft.saved_at ?? ""))) return null;
  const last = Math.max(0, payload.questions.length - 1);
  return {
    answers: soundAnswers(draft.answers, payload),
    at: typeof draft.at === "number" && Number.isInteger(draft.at) ? Math.min(Math.max(draft.at, 0), last) : 0,
    ...(draft.form === undefined ? {} : { form: draft.form }),
    active_s: typeof draft.active_s === "number" ? draft.active_s : 0,
    saved_at: draft.saved_at ?? "",
  };
}

/** The stored answers that are still valid for the questions. */
export function soundAnswers(stored: unknown, payload: Payload): Answers {
  if (typeof stored !== "object" || stored === null) return {};
  const found: Record<string, Value> = {};
  for (const question of payload.questions) {
    const value = soundValue(question, (stored as Record<string, unknown>)[question.id], payload.tokens.length);
    if (value !== null) found[question.id] = value;
  }
  return found;
}

function soundValue(question: Question, value: unknown, count: number): Value | null {
  const known = (one: unknown): one is string => question.options.some((option) => option.value === one);
  switch (question.kind) {
    case "choice":
      return known(value) ? value : null;
    case "choices":
      return Array.isArray(value) ? value.filter(known) : null;
    case "spans":
      return Array.isArray(value) ? soundRuns(value, count) : null;
    case "yes_no":
      return typeof value === "boolean" ? value : null;
    case "text":
      return typeof value === "string" ? value : null;
  }
}
