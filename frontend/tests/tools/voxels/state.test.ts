import { expect, test } from "vitest";
import { shownMarks } from "../../../src/tools/voxels/marking/marking";
import { answerOf, initialState, reduce, type Action } from "../../../src/tools/voxels/state";
import type { Payload } from "../../../src/tools/voxels/payload";
import { atWork, LAWN } from "./make";
import { rows } from "../../make";

const MARK = { scene: LAWN, phrase: "the tower" };
const NAME = { scene: LAWN };
const toolOn = (...at: [number, number, number]): Action => ({ type: "mark", action: { type: "use", at } });
const absent: Action = { type: "mark", action: { type: "absent" } };
const done: Action = { type: "done" };

const nothing: Action = { type: "nothing" };
const write: Action = { type: "write", text: " the lawn " };

test.each<[string, Payload, Action[], object | null]>([
  [
    "the marks, in order",
    MARK,
    [toolOn(4, 1, 4), toolOn(1, 2, 1), toolOn(1, 1, 1), done],
    { voxels: rows("1,1,1 1,2,1 4,1,4") },
  ],
  ["that it is not there", MARK, [absent, done], { absent: true }],
  ["that it is not there, though marks are kept", MARK, [toolOn(1, 1, 1), absent, done], { absent: true }],
  ["the marks that are back", MARK, [toolOn(1, 1, 1), absent, absent, done], { voxels: [[1, 1, 1]] }],
  ["a name without the blanks around it", NAME, [write, done], { phrase: "the lawn" }],
  ["that there is nothing", NAME, [nothing, done], { nothing: true }],
  ["that there is nothing, whatever was typed", NAME, [write, nothing, done], { nothing: true }],
  ["what was typed, once there is something again", NAME, [write, nothing, nothing, done], { phrase: "the lawn" }],
  ["what is typed after “nothing”", NAME, [nothing, write, done], { phrase: "the lawn" }],
  ["“nothing” not by itself", NAME, [nothing], null],
  ["“nothing” not of a scene to be marked", MARK, [nothing, done], null],
  ["no empty name", NAME, [{ type: "write", text: "   " }, done], null],
])("what is handed in: %s", (_, payload, actions, outgoing) => {
  expect(atWork(payload, ...actions).outgoing).toEqual(outgoing);
});

test("what is handed in is shown; “nothing” is kept; without an answer it is said what is missing", () => {
  expect(shownMarks(atWork(MARK, toolOn(4, 1, 4), toolOn(1, 2, 1), toolOn(1, 1, 1), done).marking!).size).toBe(3);
  expect(atWork(NAME, nothing).isNothing).toBe(true);
  expect(atWork(MARK, done)).toMatchObject({ outgoing: null, notice: { is: "nothing_said" } });
  expect(atWork(NAME, done)).toMatchObject({ outgoing: null, notice: { is: "no_phrase" } });
  expect(answerOf(initialState(true))).toBeNull();
});

test("a scene to be named cannot be marked", () => {
  expect(atWork(NAME, toolOn(1, 1, 1)).marking?.marks.size).toBe(0);
});

test("while an answer is being sent it does not change, but the view may", () => {
  const sent = atWork(MARK, toolOn(1, 1, 1), done, toolOn(1, 2, 1), {
    type: "mark",
    action: { type: "cursor", at: [0, 0, 0] },
  });
  expect(sent.marking?.marks.size).toBe(1);
  expect(sent.marking?.cursor).toEqual([0, 0, 0]);
  const refused = reduce(sent, { type: "sending", sending: { is: "idle" } });
  expect(reduce(refused, toolOn(1, 2, 1)).marking?.marks.size).toBe(2);
});

test("the next scene begins empty, and the word about the last one goes", () => {
  const first = atWork(MARK, toolOn(1, 1, 1), { type: "notice", notice: { is: "nothing_said" } });
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
  expect(reduce(told, toolOn(1, 1, 1)).notice).toBeNull();
});
