import { expect, test } from "vitest";
import { shownMarks } from "../../../src/tools/voxels/marking/marking";
import { answerOf, initialState, reduce, type Action } from "../../../src/tools/voxels/state";
import { atWork, LAWN } from "./make";
import { rows } from "../../make";

const MARK = { scene: LAWN, phrase: "the tower" };
const NAME = { scene: LAWN };
const use = (...at: [number, number, number]): Action => ({ type: "mark", action: { type: "use", at } });
const absent: Action = { type: "mark", action: { type: "absent" } };
const done: Action = { type: "done" };

test("what is handed in is what is shown, in order", () => {
  const state = atWork(MARK, use(4, 1, 4), use(1, 2, 1), use(1, 1, 1), done);
  expect(state.outgoing).toEqual({
    voxels: rows("1,1,1 1,2,1 4,1,4"),
  });
  expect(shownMarks(state.marking!).size).toBe(3);
});

test("what is not there is handed in so, though marks are kept", () => {
  expect(atWork(MARK, absent, done).outgoing).toEqual({ absent: true });
  expect(atWork(MARK, use(1, 1, 1), absent, done).outgoing).toEqual({ absent: true });
  expect(atWork(MARK, use(1, 1, 1), absent, absent, done).outgoing).toEqual({ voxels: [[1, 1, 1]] });
});

test("nothing is not handed in", () => {
  expect(atWork(MARK, done)).toMatchObject({ outgoing: null, notice: { is: "nothing_said" } });
  expect(atWork(NAME, done)).toMatchObject({ outgoing: null, notice: { is: "no_phrase" } });
  expect(atWork(NAME, { type: "write", text: "   " }, done).outgoing).toBeNull();
  expect(answerOf(initialState(true))).toBeNull();
});

test("a name is handed in without the blanks around it, or that there is nothing", () => {
  expect(atWork(NAME, { type: "write", text: " the red tower " }, done).outgoing).toEqual({ phrase: "the red tower" });
  expect(atWork(NAME, { type: "nothing" }, done).outgoing).toEqual({ nothing: true });
  expect(atWork(MARK, { type: "nothing" }, done).outgoing).toBeNull();
});

test("“there is nothing here” hands nothing in by itself, and keeps what was typed", () => {
  const write: Action = { type: "write", text: "the lawn" };
  expect(atWork(NAME, { type: "nothing" })).toMatchObject({ outgoing: null, isNothing: true });
  expect(atWork(NAME, write, { type: "nothing" }, done).outgoing).toEqual({ nothing: true });
  expect(atWork(NAME, write, { type: "nothing" }, { type: "nothing" }, done).outgoing).toEqual({ phrase: "the lawn" });
  expect(atWork(NAME, { type: "nothing" }, write, done).outgoing).toEqual({ phrase: "the lawn" });
});

test("a scene to be named cannot be marked", () => {
  expect(atWork(NAME, use(1, 1, 1)).marking?.marks.size).toBe(0);
});

test("while an answer is being sent it does not change, but the view may", () => {
  const sent = atWork(MARK, use(1, 1, 1), done, use(1, 2, 1), {
    type: "mark",
    action: { type: "cursor", at: [0, 0, 0] },
  });
  expect(sent.marking?.marks.size).toBe(1);
  expect(sent.marking?.cursor).toEqual([0, 0, 0]);
  const refused = reduce(sent, { type: "sending", sending: { is: "idle" } });
  expect(reduce(refused, use(1, 2, 1)).marking?.marks.size).toBe(2);
});

test("the next scene begins empty, and the word about the last one goes", () => {
  const first = atWork(MARK, use(1, 1, 1), { type: "notice", notice: { is: "nothing_said" } });
  const next = reduce(first, {
    type: "task",
    task: { assignment: "b", payload: MARK },
    before: {},
    text: "",
    lease_ends: 1,
  });
  expect(next).toMatchObject({ notice: null, outgoing: null });
  expect(next.marking?.marks.size).toBe(0);
});

test("a notice of the page stays while only the view changes, and disappears with the next mark", () => {
  const told = atWork(MARK, done, { type: "mark", action: { type: "aim", aim: null } });
  expect(told.notice).toEqual({ is: "nothing_said" });
  expect(reduce(told, use(1, 1, 1)).notice).toBeNull();
});
