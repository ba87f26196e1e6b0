import { expect, test, vi } from "vitest";
import type { Payload } from "../../../src/tools/marker/payload";
import { quizApi, quizOf, type Quiz } from "../../../src/tools/marker/quiz";
import { Problem } from "../../../src/work/http";
import { memoryStorage } from "../../../src/work/storage";

const PAYLOAD = { instruction: "go to the ball", markable: { first: 3, last: 9, never: 9 } } as Payload;
const QUIZ: Quiz = {
  key: "k",
  payload: PAYLOAD,
  answer: null,
  ask: "Mark it",
  where: "Question 2 of 3",
  back: "",
  backTo: "Back to the questions before",
};
const NOW = Date.parse("2026-11-21T12:00:00Z");

/** Whether a promise has settled by the time everything else has. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  const nothing = Symbol("nothing");
  const first = await Promise.race([
    promise.then(() => null),
    new Promise((wake) => setTimeout(() => wake(nothing), 5)),
  ]);
  return first !== nothing;
}

test("a page of the work is no quiz", () => {
  expect(quizOf({ token: "t", storageKey: "s" })).toBeNull();
});

test("a page of a quiz brings its question, and the answer that was given before", () => {
  const texts = { quizAsk: "Mark it", quizWhere: "Question 2 of 3", quizBack: "" };
  const data = { quizKey: "k", quizPayload: JSON.stringify(PAYLOAD), ...texts };
  expect(quizOf({ ...data, quizAnswer: "null" })).toEqual(QUIZ);
  const answer = { outcome: "failure", frame: 7 } as const;
  expect(quizOf({ ...data, quizAnswer: JSON.stringify(answer) })?.answer).toEqual(answer);
});

test("the question is claimed without a draft, or with the answer of before as one", async () => {
  const fresh = await quizApi(QUIZ, vi.fn(), vi.fn(), () => NOW).claim({});
  expect(fresh).toMatchObject({ assignment: "k", payload: PAYLOAD, draft: null });
  expect(Date.parse(fresh?.lease_expires_at ?? "")).toBeGreaterThan(NOW);
  const answered: Quiz = { ...QUIZ, answer: { outcome: "success", frame: 5 } };
  const again = await quizApi(answered, vi.fn(), vi.fn(), () => NOW).claim({});
  expect(again?.draft).toMatchObject({ outcome: "success", frame: 5, position: 5 });
});

test("submitting sends the answer once and ends as the sending does: for good, or with what was wrong", async () => {
  const send = vi.fn().mockReturnValueOnce(new Promise(() => {}));
  const api = quizApi(QUIZ, send, vi.fn(), () => NOW);
  expect(await settled(api.submit("k", { outcome: "success", frame: 5 }, 1, {}))).toBe(false);
  expect(send.mock.calls).toEqual([[{ outcome: "success", frame: 5 }]]);
  send.mockRejectedValueOnce(new Problem(422, "practice_wrong", "Look once more."));
  await expect(api.submit("k", { outcome: "failure", frame: 5 }, 1, {})).rejects.toThrow("Look once more.");
});

test("a second claim loads the page anew: the address of the video may be old", async () => {
  const reload = vi.fn();
  const api = quizApi(QUIZ, vi.fn(), reload, () => NOW);
  await api.claim({});
  expect(reload).not.toHaveBeenCalled();
  expect(await settled(api.claim({}))).toBe(false);
  expect(reload).toHaveBeenCalledOnce();
});

test("there is no next task, nothing to give back and nothing to report", async () => {
  const api = quizApi(QUIZ, vi.fn(), vi.fn(), () => NOW);
  expect(await api.ahead()).toBeNull();
  await expect(api.release("k", {})).rejects.toThrow();
  await expect(api.report("k", "other", "", {})).rejects.toThrow();
});

test("what is kept is kept for this page only", () => {
  const keep = memoryStorage();
  keep.write("draft:k", { frame: 1 });
  expect(keep.read("draft:k")).toEqual({ frame: 1 });
  expect(keep.names()).toEqual(["draft:k"]);
  keep.drop("draft:k");
  expect(keep.read("draft:k")).toBeNull();
  expect(memoryStorage().names()).toEqual([]);
});
