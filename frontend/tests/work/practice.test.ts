import { expect, test, vi } from "vitest";
import type { ApiClient } from "../../src/work/http";
import {
  follow,
  hasPassed,
  mustPractise,
  NEW_COACH,
  notePassed,
  practiceHandIn,
  tryOnce,
  type CoachStep,
} from "../../src/work/practice";
import { memoryStorage } from "../../src/work/storage";

interface Count {
  plays: number;
  marks: number;
}

const STEPS: readonly CoachStep<Count>[] = [
  { say: "Play it.", isDone: (now, before) => now.plays > before.plays },
  { say: "Mark it.", isDone: (now, before) => now.marks > before.marks },
  { say: "Send it.", isDone: () => false },
];
const NONE: Count = { plays: 0, marks: 0 };

test.each([
  ["the step that is asked for", NEW_COACH, { plays: 1, marks: 0 }, 1],
  ["a later step, which takes the earlier one with it", NEW_COACH, { plays: 0, marks: 1 }, 2],
  ["a step that was done before", { ...NEW_COACH, done: 1 }, { plays: 1, marks: 0 }, 1],
  ["nothing", NEW_COACH, NONE, 0],
])("the coach follows %s", (_, coach, now, done) => {
  expect(follow(coach, STEPS, now, NONE).done).toBe(done);
});

test("the work page sends a worker to the practice until it is passed, or where nothing can be stored", () => {
  const storage = memoryStorage();
  const data = { practiceUrl: "/work/p/practice/", practiceFirst: "" };
  expect(mustPractise(data, storage, "")).toBe(true);
  expect(mustPractise(data, storage, "?practised")).toBe(false);
  expect(mustPractise({ practiceUrl: data.practiceUrl }, storage, "")).toBe(false);
  expect(mustPractise({}, storage, "")).toBe(false);
  notePassed(storage, "3");
  expect([mustPractise(data, storage, ""), hasPassed(storage)]).toEqual([false, true]);
  expect(storage.read("instructions-read")).toBe("3");
});

test("a wrong answer is a refusal with its reason, and a right one ends the task", async () => {
  const replies = [
    { right: false, why: "Look once more." },
    { right: true, why: null },
  ];
  const client: ApiClient = {
    serverNow: () => 0,
    send: () => Promise.resolve({ status: 200, body: replies.shift() }),
  };
  const [right, wrong] = [vi.fn(), vi.fn()];
  const handIn = practiceHandIn(client, { right, wrong });
  await expect(handIn({})).rejects.toThrow("Look once more.");
  expect([wrong.mock.calls, right.mock.calls]).toEqual([[["Look once more."]], []]);
  void handIn({});
  await vi.waitFor(() => expect(right).toHaveBeenCalledOnce());
  expect(tryOnce(NEW_COACH, "Look once more.")).toMatchObject({ wrong: 1, why: "Look once more." });
});
