/** A command as a question of a quiz: its steps are asked of the server one by one, the answers stay in this browser until a form of the page sends them. */

import { patiently, type Line } from "../shared/http";
import { AS_LONG_AS_IT_TAKES_MS, leave, placeOf, questionApi, type QuizPlace } from "../shared/quiz";
import type { Keep } from "../shared/storage";
import type { WorkApi } from "../shared/work";
import type { Answer, Answers, Claim, Draft, Payload } from "./payload";
import { isConfirm } from "./state";

/** What was answered in each step, in the order of the steps. */
export type Given = Readonly<Record<string, Answers>>;

export interface Quiz extends QuizPlace {
  /** The task: the command and what was said before it. */
  task: { text: string; context?: unknown };
  /** What was answered before, when one comes back to it. */
  record: Given;
}

/** What the page says; null where it is no quiz. */
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

/** The record up to a step, which is asked again: it and what came after it are forgotten. */
export function upTo(record: Given, key: string): Given {
  const keys = Object.keys(record);
  const at = keys.indexOf(key);
  return at < 0 ? record : Object.fromEntries(keys.slice(0, at).map((one) => [one, record[one] ?? {}]));
}

const RECORD = "record";

/** The work API of a page with one command: there is no lease, and the form is the only way out. */
export function quizApi(quiz: Quiz, line: Line, keep: Keep, send: (answer: { record: Given }) => void, now: () => number = Date.now): WorkApi<Claim, Answer, Draft> {
  let record: Given = keep.read<Given>(RECORD) ?? quiz.record;
  let shown: Payload | null = null;
  let count = 0;
  const say = (changed: Given): void => {
    record = changed;
    keep.write(RECORD, record);
  };
  return questionApi(
    {
      claim: async (patience) => {
        const { body } = await patiently(() => line.send("POST", "parse/next/", { ...quiz.task, record }), patience);
        shown = body as Payload;
        count += 1;
        const ends = new Date(now() + AS_LONG_AS_IT_TAKES_MS).toISOString();
        return { assignment: `${quiz.key}-${count}`, lease_expires_at: ends, tool: "parse", payload: shown, draft: null };
      },
      submit: (_assignment, answer) => {
        if (!shown || !("answers" in answer)) return Promise.reject(new Error("a step of a quiz is answered, nothing else"));
        if (answer.back !== undefined) say(upTo(record, answer.back));
        else if (!isConfirm(shown)) say({ ...record, [shown.node?.step ?? ""]: answer.answers });
        else if (answer.answers["right"] === true) {
          keep.drop(RECORD);
          return leave(() => send({ record }));
        } else say(upTo(record, String(answer.answers["wrong"] ?? "")));
        return Promise.resolve();
      },
    },
    now,
  );
}
