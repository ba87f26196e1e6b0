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

describe("placing", () => {
  test("puts the marker on the picture that is shown", () => {
    expect(after(...at(42), success).marker).toEqual({ at: 42, outcome: "success" });
  });

  test("again moves it, with the other key it changes its kind", () => {
    expect(after(...at(42), success, ...at(50), failure).marker).toEqual({ at: 50, outcome: "failure" });
  });

  test.each([20, 80])("frame %i is still markable", (edge) =>
    expect(after(...at(edge), success).marker?.at).toBe(edge),
  );

  test("before the takeover and after the deadline it says why not, and keeps the old marker", () => {
    const early = after(...at(42), success, ...at(19), failure);
    expect(early.notice).toEqual({ is: "too_early" });
    expect(early.marker).toEqual({ at: 42, outcome: "success" });
    expect(after(...at(81), success).notice).toEqual({ is: "too_late" });
  });

  test("moving on takes the remark away", () => {
    expect(after(...at(19), success, ...at(21)).notice).toBeNull();
  });

  test("waits for the exact picture", () => {
    const waiting = after({ type: "moved", to: frame(42) }, success);
    expect(waiting.marker).toBeNull();
    expect(waiting.asked).toMatchObject({ at: 42, outcome: "success" });
    expect(reduce(waiting, { type: "shown", at: frame(42) }).marker).toEqual({ at: 42, outcome: "success" });
  });

  test("a picture that nobody waits for marks nothing", () => {
    const waiting = after({ type: "moved", to: frame(42) }, success, { type: "shown", at: frame(41) });
    expect(waiting.marker).toBeNull();
    expect(waiting.exact).toBe(false);
  });

  test("is called off, in words, when one moves on before the picture comes", () => {
    const moved = after({ type: "moved", to: frame(42) }, success, ...at(50));
    expect(moved.marker).toBeNull();
    expect(moved.notice).toEqual({ is: "moved_on" });
  });

  test("is refused while the video loads or is broken", () => {
    expect(after({ type: "video", is: "loading" }, success).notice).toEqual({ is: "not_ready" });
    expect(after({ type: "video", is: "broken" }, { type: "never" })).toMatchObject({
      marker: null,
      notice: { is: "broken" },
    });
  });
});

test("never did it is a failure at its own frame, wherever one stands", () => {
  expect(after(...at(25), { type: "never" }).marker).toEqual({ at: 80, outcome: "failure" });
});

test("clear takes the marker away", () => {
  expect(after(...at(42), success, { type: "clear" }).marker).toBeNull();
});

describe("submitting", () => {
  test("needs a marker, and says so", () => {
    const bare = after({ type: "submit" });
    expect(bare.submitting).toBe(false);
    expect(bare.notice).toEqual({ is: "no_marker" });
  });

  test("starts once there is one, and then nothing can change it", () => {
    const sending = after(...at(42), success, { type: "submit" });
    expect(sending.submitting).toBe(true);
    expect(mayMark(sending)).toBe(false);
    for (const action of [failure, { type: "clear" }, { type: "never" }] as Action[])
      expect(reduce(sending, action).marker).toEqual({ at: 42, outcome: "success" });
  });

  test("pressed while the marker waits for its picture, it follows the marker", () => {
    const quick = after({ type: "moved", to: frame(42) }, success, { type: "submit" });
    expect(quick.submitting).toBe(false);
    expect(reduce(quick, { type: "shown", at: frame(42) })).toMatchObject({ submitting: true, marker: { at: 42 } });
  });

  test("when it fails the answer can be changed again", () => {
    const back = after(
      ...at(42),
      success,
      { type: "submit" },
      { type: "sending", sending: { is: "sending" } },
      { type: "sending", sending: { is: "idle" } },
    );
    expect(mayMark(back)).toBe(true);
    expect(back.marker?.at).toBe(42);
  });
});

describe("a new task", () => {
  const next: Action = {
    type: "task",
    task: { ...TASK, assignment: "a2" },
    position: 250,
    marker: null,
    lease_ends: 2000,
  };

  test("starts clean and inside its video", () => {
    const fresh = after(...at(42), success, { type: "submit" }, next);
    expect(fresh).toMatchObject({
      marker: null,
      position: 99,
      exact: false,
      submitting: false,
      video: "loading",
      lease_ends: 2000,
    });
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
  const lost = after(...at(42), success, { type: "submit" }, { type: "screen", screen: { is: "lost", endedAt: 5 } });
  expect(lost).toMatchObject({ submitting: false, sending: { is: "idle" }, marker: { at: 42 } });
  expect(mayMark(lost)).toBe(false);
});

test("what changes nothing gives the same state back", () => {
  const state = after(...at(42));
  for (const action of [...at(42), { type: "rate", rate: 0 }] as Action[]) expect(reduce(state, action)).toBe(state);
});
