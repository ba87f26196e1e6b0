import { expect, test, vi } from "vitest";
import { quizApi, quizOf, upTo, type Quiz } from "../../../src/tools/parse/quiz";
import type { ApiClient } from "../../../src/work/http";
import { memoryStorage } from "../../../src/work/storage";
import { CONFIRM, OPTIONS, payload, question } from "./make";

const QUIZ: Quiz = {
  key: "k",
  task: { text: "go" },
  record: {},
  ask: "",
  where: "Question 1 of 1",
  back: "",
  backTo: "Back to the questions before",
};
const STEPS = ["#", "/event_sequence#parts", "/event_sequence/0#what"];

/** A server that asks one choice a step, then whether it is right. */
function server(): ApiClient & { bodies: unknown[] } {
  const bodies: unknown[] = [];
  return {
    bodies,
    serverNow: () => 0,
    send: (_method, _path, body) => {
      bodies.push(body);
      const known = Object.keys((body as { record: object }).record);
      const step = STEPS.find((one) => !known.includes(one));
      const found = step
        ? payload([question({ options: OPTIONS })], { node: { path: step, noun: "", trail: [], words: [], step } })
        : CONFIRM;
      return Promise.resolve({ status: 200, body: found });
    },
  };
}

test("a page of the work is no quiz; a page of a quiz brings its command and what was answered before", () => {
  expect(quizOf({ token: "t" })).toBeNull();
  const quizPayload = JSON.stringify({ text: "go", tokens: ["go"], questions: [] });
  const data = { quizKey: "k", quizPayload, quizWhere: "Question 1 of 1", quizAnswer: "null" };
  expect(quizOf(data)).toEqual(QUIZ);
  expect(quizOf({ ...data, quizAnswer: '{"record":{"#":{"q":"A"}}}' })?.record).toEqual({ "#": { q: "A" } });
});

test("it walks through the command, goes back where it is wrong, and sends the whole record", async () => {
  const line = server();
  const send = vi.fn();
  const api = quizApi(QUIZ, line, memoryStorage(), send, () => 0);
  const answer = async (answers: Record<string, string | boolean>): Promise<void> => api.submit("", { answers }, 0, {});
  for (const value of ["A", "B", "C"]) {
    await api.claim({});
    await answer({ q: value });
  }
  expect((await api.claim({}))?.payload).toBe(CONFIRM);
  await answer({ right: false, wrong: `${STEPS[1]!}?q` });
  expect((await api.claim({}))?.payload.node?.step).toBe(STEPS[1]);
  expect(line.bodies.at(-1)).toEqual({ text: "go", record: { "#": { q: "A" } } });
  for (const value of ["C", "A"]) {
    await answer({ q: value });
    await api.claim({});
  }
  void answer({ right: true });
  expect(send.mock.calls).toEqual([
    [{ record: { "#": { q: "A" }, [STEPS[1]!]: { q: "C" }, [STEPS[2]!]: { q: "A" } } }],
  ]);
});

test("a page that is loaded anew goes on where it was", async () => {
  const keep = memoryStorage();
  const first = quizApi(QUIZ, server(), keep, vi.fn(), () => 0);
  await first.claim({});
  await first.submit("", { answers: { q: "A" } }, 0, {});
  const again = await quizApi(QUIZ, server(), keep, vi.fn(), () => 0).claim({});
  expect(again?.payload.node?.step).toBe(STEPS[1]);
});

test("a step that is asked again takes with it what came after", () => {
  const record = { a: {}, b: {}, c: {} };
  expect(upTo(record, "b")).toEqual({ a: {} });
  expect(upTo(record, "unknown")).toBe(record);
});
