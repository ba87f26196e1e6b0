/**
 * A command as a question of a quiz. The server is asked for one step after the other; the answers stay in this browser
 * until a form of the page sends them.
 */

import { withRetries, type ApiClient } from "../../work/http";
import { QUIZ_LEASE_MS, placeOf, questionApi, type QuizPlace } from "../../work/quiz";
import type { BrowserStorage } from "../../work/storage";
import type { WorkApi } from "../../work/api";
import type { Answer, Answers, Claim, Draft, Payload } from "./payload";
import { isConfirm } from "./state";

/** The answers of each step, in the order of the steps. */
export type Given = Readonly<Record<string, Answers>>;

export interface Quiz extends QuizPlace {
  /** The task: the command and the turns before it. */
  task: { text: string; context?: unknown };
  /** Earlier answers, if the worker comes back to the question. */
  record: Given;
}

/** The question in the page; null if the page is no quiz. */
export function quizOf(data: DOMStringMap): Quiz | null {
  if (!data.quizPayload) return null;
  const { text, context } = JSON.parse(data.quizPayload) as Quiz["task"];
  const answer = JSON.parse(data.quizAnswer || "null") as { record?: Given } | null;
  return {
    ...placeOf(data),
    task: context === undefined ? { text } : { text, context },
    record: answer?.record ?? {},
  };
}

/** The record before a step that is asked again: the step and all later ones are removed. */
export function upTo(record: Given, key: string): Given {
  const keys = Object.keys(record);
  const at = keys.indexOf(key);
  return at < 0 ? record : Object.fromEntries(keys.slice(0, at).map((one) => [one, record[one] ?? {}]));
}

/** The step of a part: parts are named STEP?QUESTION. */
const stepOf = (part: string): string => part.replace(/\?[^?]*$/, "");

const RECORD = "record";

/** The work API of a page with one command: there is no lease, and the form of the page sends the answer. */
export function quizApi(
  quiz: Quiz,
  line: ApiClient,
  keep: BrowserStorage,
  send: (answer: { record: Given }) => Promise<void>,
  now: () => number = Date.now,
): WorkApi<Claim, Answer, Draft> {
  let record: Given = keep.read<Given>(RECORD) ?? quiz.record;
  let shown: Payload | null = null;
  let count = 0;
  const say = (changed: Given): void => {
    record = changed;
    keep.write(RECORD, record);
  };
  return questionApi(
    {
      claim: async (retries) => {
        const { body } = await withRetries(() => line.send("POST", "parse/next/", { ...quiz.task, record }), retries);
        shown = body as Payload;
        count += 1;
        const ends = new Date(now() + QUIZ_LEASE_MS).toISOString();
        return {
          assignment: `${quiz.key}-${count}`,
          lease_expires_at: ends,
          tool: "parse",
          payload: shown,
          draft: null,
        };
      },
      submit: (_assignment, answer) => {
        if (!shown || !("answers" in answer))
          return Promise.reject(new Error("a step of a quiz is answered, nothing else"));
        if (answer.back !== undefined) say(upTo(record, answer.back));
        else if (!isConfirm(shown)) say({ ...record, [shown.node?.step ?? ""]: answer.answers });
        else if (answer.answers["right"] === true) {
          keep.drop(RECORD);
          return send({ record });
        } else say(upTo(record, stepOf(String(answer.answers["wrong"] ?? ""))));
        return Promise.resolve();
      },
    },
    now,
  );
}
