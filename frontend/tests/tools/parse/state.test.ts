import { expect, test } from "vitest";
import { atWork, CONFIRM, OPTIONS, payload, question } from "./make";
import { asked, current, given, reduce, type Action } from "../../../src/tools/parse/state";

const CHOICE = question({ id: "what", options: OPTIONS });
const SPANS = question({ id: "words", kind: "spans", optional: true });
const next: Action = { type: "next" };
const undo: Action = { type: "undo" };
const pick = (index: number): Action => ({ type: "pick", index });
const mark = (first: number, last: number, isFirst = true): Action => ({
  type: "runs",
  runs: [[first, last]],
  isFirst,
});

test("one question after the other, then all answers are sent", () => {
  const state = atWork(payload([CHOICE, SPANS]), pick(1), next);
  expect(current(state)?.id).toBe("words");
  expect(reduce(reduce(state, mark(2, 3)), next).outgoing).toEqual({ answers: { what: "B", words: [[2, 3]] } });
});

test("what is optional may be left out; what is needed may not", () => {
  expect(atWork(payload([CHOICE, SPANS]), pick(0), next, next).outgoing).toEqual({ answers: { what: "A" } });
  const stuck = atWork(payload([CHOICE]), next);
  expect(stuck.outgoing).toBeNull();
  expect(stuck.notice).toEqual({ is: "unanswered", kind: "choice" });
});

test.each([
  ["yes_no", question({ kind: "yes_no" }), pick(1), false],
  ["yes_no by its word", question({ kind: "yes_no" }), { type: "say", yes: true } as Action, true],
  ["choices in the order of the options", question({ kind: "choices", options: OPTIONS }), pick(2), ["C"]],
  ["text without the blanks around it", question({ kind: "text" }), { type: "write", text: "  two " } as Action, "two"],
  ["spans", question({ kind: "spans" }), mark(0, 1), [[0, 1]]],
])("an answer to %s", (_, one, action, value) => {
  expect(atWork(payload([one]), action, next).outgoing).toEqual({ answers: { q: value } });
});

test("several are picked in any order and given in the order of the options; picking again takes back", () => {
  const state = atWork(payload([question({ kind: "choices", options: OPTIONS })]), pick(2), pick(0), pick(1), pick(2));
  expect(state.answers).toEqual({ q: ["A", "B"] });
});

test("an option that is not there, or a word where none is asked, changes nothing", () => {
  const state = atWork(payload([CHOICE]));
  expect(reduce(state, pick(3))).toBe(state);
  expect(reduce(state, mark(0, 0))).toBe(state);
});

test("undo goes back stroke by stroke, then to the question before with its answer kept", () => {
  const state = atWork(payload([CHOICE, SPANS]), pick(1), next, mark(1, 1), mark(1, 2, false), mark(4, 4));
  const once = reduce(state, undo);
  expect(once.answers["words"]).toEqual([[1, 2]]);
  const twice = reduce(once, undo);
  expect(twice.answers["words"]).toBeUndefined();
  const thrice = reduce(twice, undo);
  expect(current(thrice)?.id).toBe("what");
  expect(thrice.answers).toEqual({ what: "B" });
});

test("undo at the very beginning says where earlier answers are", () => {
  const state = atWork(payload([CHOICE], { back: [{ key: "#", label: "the intent" }] }), undo);
  expect(state.notice).toEqual({ is: "nothing_to_undo", mayGoBack: true });
});

test("a draft restored at the second question can go back to the first", () => {
  const begun = atWork(payload([CHOICE, SPANS]));
  const restored = reduce(begun, {
    type: "task",
    task: begun.task!,
    answers: { what: "C" },
    at: 1,
    form: null,
    lease_ends: 0,
  });
  expect(current(restored)?.id).toBe("words");
  expect(current(reduce(restored, undo))?.id).toBe("what");
});

test("I cannot tell wants a second press, and anything else in between disarms it", () => {
  const way: Action = { type: "way", way: "unknown" };
  const once = atWork(payload([CHOICE]), way);
  expect(once.outgoing).toBeNull();
  expect(reduce(once, way).outgoing).toEqual({ answers: {}, unknown: true });
  expect([pick(0), way].reduce(reduce, once).outgoing).toBeNull();
  expect(reduce(once, { type: "way", way: "not_a_command" }).armed).toBe("not_a_command");
});

test("going back names a step that the server offered, and no other", () => {
  const state = atWork(payload([CHOICE], { back: [{ key: "#", label: "the intent" }] }));
  expect(reduce(state, { type: "back", key: "#" }).outgoing).toEqual({ answers: {}, back: "#" });
  expect(reduce(state, { type: "back", key: "/else#" }).outgoing).toBeNull();
});

test("a yes at the end is enough; a no asks which part, and needs it", () => {
  const yes: Action = { type: "say", yes: true };
  const no: Action = { type: "say", yes: false };
  expect(atWork(CONFIRM, yes, next).outgoing).toEqual({ answers: { right: true } });
  const doubted = atWork(CONFIRM, no, next);
  expect(current(doubted)?.id).toBe("wrong");
  expect(reduce(doubted, next).notice).toEqual({ is: "unanswered", kind: "choice" });
  expect([pick(1), next].reduce(reduce, doubted).outgoing).toEqual({ answers: { right: false, wrong: "B" } });
  // A part named before a change of mind is not sent.
  expect(given(CONFIRM, { right: true, wrong: "B" })).toEqual({ right: true });
  expect(asked(CONFIRM, {}).map(({ id }) => id)).toEqual(["right"]);
});

test("what is on its way can no longer be changed", () => {
  const sent = atWork(payload([CHOICE]), pick(0), next);
  for (const action of [pick(1), next, undo, { type: "way", way: "unknown" } as Action])
    expect(reduce(sent, action)).toBe(sent);
  const refused = reduce(sent, { type: "sending", sending: { is: "idle" } });
  expect(reduce(refused, pick(1)).answers).toEqual({ what: "B" });
});

test("an expert's form is sent when it is sound, and only then", () => {
  const whole = payload([], { node: null });
  const form = { dialogue_type: "NOOP" };
  const state = atWork(whole, { type: "form", form });
  expect(reduce(state, { type: "give_form", isSound: false }).outgoing).toBeNull();
  expect(reduce(state, { type: "give_form", isSound: true }).outgoing).toEqual({ form });
  const way: Action = { type: "way", way: "unknown" };
  expect([way, way].reduce(reduce, state).outgoing).toEqual({ unknown: true });
});
