/** A command as a question of a quiz: its steps are asked of the server one by one, the answers stay in this browser until a form of the page sends them. */

import { patiently, type Line } from "../shared/http";
import type { Keep } from "../shared/storage";
import type { WorkApi } from "../shared/work";
import type { Answer, Answers, Claim, Draft, Payload } from "./payload";
import { isConfirm } from "./state";

/** What was answered in each step, in the order of the steps. */
export type Given = Readonly<Record<string, Answers>>;

export interface Quiz {
  /** Names this question of this attempt. */
  key: string;
  /** The task: the command and what was said before it. */
  task: { text: string; context?: unknown };
  /** What was answered before, when one comes back to it. */
  record: Given;
  ask: string;
  /** `Question 3 of 4`. */
  where: string;
  /** The address of the questions before it; "" if it is the first. */
  back: string;
}

/** What the page says; null where it is no quiz. */
export function quizOf(data: DOMStringMap): Quiz | null {
  if (!data.quizPayload) return null;
  const { text, context } = JSON.parse(data.quizPayload) as Quiz["task"];
  const answer = JSON.parse(data.quizAnswer || "null") as { record?: Given } | null;
  return {
    key: data.quizKey ?? "",
    task: context === undefined ? { text } : { text, context },
    record: answer?.record ?? {},
    ask: data.quizAsk ?? "",
    where: data.quizWhere ?? "",
    back: data.quizBack ?? "",
  };
}

/** The record up to a step, which is asked again: it and what came after it are forgotten. */
export function upTo(record: Given, key: string): Given {
  const keys = Object.keys(record);
  const at = keys.indexOf(key);
  return at < 0 ? record : Object.fromEntries(keys.slice(0, at).map((one) => [one, record[one] ?? {}]));
}

const AS_LONG_AS_IT_TAKES_MS = 365 * 24 * 3600 * 1000;
const RECORD = "record";

/** The work API of a page with one command: there is no lease, and the form is the only way out. */
export function quizApi(quiz: Quiz, line: Line, keep: Keep, send: (answer: { record: Given }) => void, now: () => number = Date.now): WorkApi<Claim, Answer, Draft> {
  let record: Given = keep.read<Given>(RECORD) ?? quiz.record;
  let shown: Payload | null = null;
  let count = 0;
  const refuse = (): Promise<never> => Promise.reject(new Error("a question of a quiz is answered, nothing else"));
  const say = (changed: Given): void => {
    record = changed;
    keep.write(RECORD, record);
  };
  return {
    claim: async (patience) => {
      const { body } = await patiently(() => line.send("POST", "parse/next/", { ...quiz.task, record }), patience);
      shown = body as Payload;
      count += 1;
      const ends = new Date(now() + AS_LONG_AS_IT_TAKES_MS).toISOString();
      return { assignment: `${quiz.key}-${count}`, lease_expires_at: ends, tool: "parse", payload: shown, draft: null };
    },
    ahead: () => Promise.resolve(null),
    submit: (_assignment, answer) => {
      if (!shown || !("answers" in answer)) return refuse();
      if (answer.back !== undefined) say(upTo(record, answer.back));
      else if (!isConfirm(shown)) say({ ...record, [shown.node?.step ?? ""]: answer.answers });
      else if (answer.answers["right"] === true) {
        keep.drop(RECORD);
        send({ record });
        // The form leads away from the page.
        return new Promise(() => {});
      } else say(upTo(record, String(answer.answers["wrong"] ?? "")));
      return Promise.resolve();
    },
    saveDraft: () => Promise.resolve(),
    heartbeat: () => Promise.resolve(now() + AS_LONG_AS_IT_TAKES_MS),
    release: refuse,
    report: refuse,
    standing: refuse,
    closeNotice: refuse,
    serverNow: now,
  };
}
