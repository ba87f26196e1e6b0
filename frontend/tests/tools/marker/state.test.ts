import { describe, expect, test } from "vitest";
import { initialState, mayMark, reduce, type Action, type MarkerState } from "../../../src/tools/marker/state";
import { frame } from "../../../src/tools/marker/units";

const TASK = { assignment: "a1", frames: 100, first: frame(20), last: frame(80), never: frame(80) };

function after(...actions: Action[]): MarkerState {
  const start: Action[] = [
    { type: "task", task: TASK, position: 20, marker: null, lease_ends: 1000 },
    { type: "video", is: "ready" },
    { type: "shown", at: frame(20) },
  ];
  return [...start, ...actions].reduce(reduce, initialState(true));
}
const at = (to: number): Action[] => [
  { type: "moved", to: frame(to) },
  { type: "shown", at: frame(to) },
];
const success: Action = { type: "place", outcome: "success" };
const failure: Action = { type: "place", outcome: "failure" };

const clear: Action = { type: "clear" };
const never: Action = { type: "never" };
const submit: Action = { type: "submit" };
const toward: Action = { type: "moved", to: frame(42) };
const MARKED = { at: 42, outcome: "success" };

test.each<[string, Action[], object]>([
  ["is put on the picture that is shown", [...at(42), success], { marker: MARKED, notice: null }],
  ["moves, and changes its kind", [...at(42), success, ...at(50), failure], { marker: { at: 50, outcome: "failure" } }],
  ["may stand on the first frame", [...at(20), success], { marker: { at: 20 } }],
  ["may stand on the last frame", [...at(80), success], { marker: { at: 80 } }],
  [
    "stays where a new one is too early",
    [...at(42), success, ...at(19), failure],
    { notice: { is: "too_early" }, marker: MARKED },
  ],
  ["is too late after the last frame", [...at(81), success], { notice: { is: "too_late" }, marker: null }],
  ["has no remark after a move", [...at(19), success, ...at(21)], { notice: null }],
  ["waits for the exact picture", [toward, success], { marker: null, asked: MARKED }],
  ["comes with the exact picture", [toward, success, { type: "shown", at: frame(42) }], { marker: MARKED }],
  [
    "does not come with another picture",
    [toward, success, { type: "shown", at: frame(41) }],
    { marker: null, exact: false },
  ],
  [
    "is called off by a move before the picture",
    [toward, success, ...at(50)],
    { marker: null, notice: { is: "moved_on" } },
  ],
  [
    "is refused while the video loads",
    [{ type: "video", is: "loading" }, success],
    { marker: null, notice: { is: "not_ready" } },
  ],
  [
    "is refused where the video is broken",
    [{ type: "video", is: "broken" }, never],
    { marker: null, notice: { is: "broken" } },
  ],
  ["of a failure is at its own frame", [...at(25), never], { marker: { at: 80, outcome: "failure" } }],
  ["is taken away", [...at(42), success, clear], { marker: null }],
  ["is needed for an answer", [submit], { submitting: false, notice: { is: "no_marker" } }],
  [
    "is submitted once its picture comes",
    [toward, success, submit, { type: "shown", at: frame(42) }],
    { submitting: true, marker: MARKED },
  ],
  ["that waits is not submitted yet", [toward, success, submit], { submitting: false }],
])("the marker %s", (_, actions, expected) => {
  expect(after(...actions)).toMatchObject(expected);
});

describe("submitting", () => {
  const sending = after(...at(42), success, submit);

  test("once begun, nothing can change the answer", () => {
    expect([sending.submitting, mayMark(sending)]).toEqual([true, false]);
    for (const action of [failure, clear, never]) expect(reduce(sending, action).marker).toEqual(MARKED);
  });

  test("when it fails the answer can be changed again", () => {
    const sent = (is: "sending" | "idle"): Action => ({ type: "sending", sending: { is } });
    const back = [sent("sending"), sent("idle")].reduce(reduce, sending);
    expect([mayMark(back), back.marker?.at]).toEqual([true, 42]);
  });
});

describe("a new task", () => {
  const task = { ...TASK, assignment: "a2" };
  const next: Action = { type: "task", task, position: 250, marker: null, lease_ends: 2000 };

  test("starts clean and inside its video", () => {
    const fresh = after(...at(42), success, submit, next);
    const clean = { marker: null, exact: false, submitting: false, video: "loading" };
    expect(fresh).toMatchObject({ ...clean, position: 99, lease_ends: 2000 });
  });

  test("takes up a draft, unless its marker cannot be", () => {
    const draft = (frameAt: number): Action => ({ ...next, marker: { at: frame(frameAt), outcome: "success" } });
    expect(after(draft(42)).marker).toEqual({ at: 42, outcome: "success" });
    expect(after(draft(5)).marker).toBeNull();
  });

  test("keeps the remark about another tab, and no other", () => {
    expect(after({ type: "notice", notice: { is: "elsewhere" } }, next).notice).toEqual({ is: "elsewhere" });
    expect(after({ type: "notice", notice: { is: "no_marker" } }, next).notice).toBeNull();
  });
});

test("a screen of its own ends what was under way", () => {
  const lost = after(...at(42), success, submit, { type: "screen", screen: { is: "lost", endedAt: 5 } });
  expect(lost).toMatchObject({ submitting: false, sending: { is: "idle" }, marker: { at: 42 } });
  expect(mayMark(lost)).toBe(false);
});

test("what changes nothing gives the same state back", () => {
  const state = after(...at(42));
  for (const action of [...at(42), { type: "rate", rate: 0 }] as Action[]) expect(reduce(state, action)).toBe(state);
});
