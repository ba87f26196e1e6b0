import { expect, test } from "vitest";
import { atWork, CONFIRM, OPTIONS, payload, question } from "./make";
import type { Payload, Question } from "../../../src/tools/parse/payload";
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

const yes: Action = { type: "say", yes: true };
const no: Action = { type: "say", yes: false };
const way: Action = { type: "way", way: "unknown" };
const back = (key: string): Action => ({ type: "back", key });
const ONE = payload([CHOICE]);
const TWO = payload([CHOICE, SPANS]);
const LATER = payload([CHOICE], { back: [{ key: "#", label: "the intent" }] });
const only = (kind: Question["kind"]): Payload => payload([question({ kind, options: OPTIONS })]);

test.each<[string, Payload, Action[], object | null]>([
  [
    "all answers, one question after the other",
    TWO,
    [pick(1), next, mark(2, 3), next],
    { answers: { what: "B", words: [[2, 3]] } },
  ],
  ["no optional answer", TWO, [pick(0), next, next], { answers: { what: "A" } }],
  ["nothing without a needed answer", ONE, [next], null],
  ["yes or no", only("yes_no"), [pick(1), next], { answers: { q: false } }],
  ["yes by its word", only("yes_no"), [yes, next], { answers: { q: true } }],
  ["one of several choices", only("choices"), [pick(2), next], { answers: { q: ["C"] } }],
  [
    "choices in the order of the options, without those taken back",
    only("choices"),
    [pick(2), pick(0), pick(1), pick(2), next],
    { answers: { q: ["A", "B"] } },
  ],
  [
    "text without the blanks around it",
    only("text"),
    [{ type: "write", text: "  two " }, next],
    { answers: { q: "two" } },
  ],
  ["words", only("spans"), [mark(0, 1), next], { answers: { q: [[0, 1]] } }],
  ["“I cannot tell” not at the first press", ONE, [way], null],
  ["“I cannot tell” at the second press", ONE, [way, way], { answers: {}, unknown: true }],
  ["“I cannot tell” not with a press between", ONE, [way, pick(0), way], null],
  ["a step back that the server offered", LATER, [back("#")], { answers: {}, back: "#" }],
  ["no other step back", LATER, [back("/else#")], null],
  ["a yes at the end", CONFIRM, [yes, next], { answers: { right: true } }],
  ["a no with the part that is wrong", CONFIRM, [no, next, pick(1), next], { answers: { right: false, wrong: "B" } }],
  ["no bare no", CONFIRM, [no, next, next], null],
])("what is sent: %s", (_, given, actions, outgoing) => {
  expect(atWork(given, ...actions).outgoing).toEqual(outgoing);
});

test.each<[string, Payload, Action[], object]>([
  ["which kind of answer is needed", ONE, [next], { is: "unanswered", kind: "choice" }],
  ["which kind is needed after a no", CONFIRM, [no, next, next], { is: "unanswered", kind: "choice" }],
  ["where earlier answers are", LATER, [undo], { is: "nothing_to_undo", mayGoBack: true }],
])("the page says %s", (_, given, actions, notice) => {
  expect(atWork(given, ...actions).notice).toEqual(notice);
});

test("an option that is not there, or a word where none is asked, changes nothing", () => {
  const state = atWork(ONE);
  expect(reduce(state, pick(3))).toBe(state);
  expect(reduce(state, mark(0, 0))).toBe(state);
});

test("undo goes back stroke by stroke, then to the question before with its answer kept", () => {
  const state = atWork(TWO, pick(1), next, mark(1, 1), mark(1, 2, false), mark(4, 4));
  const once = reduce(state, undo);
  expect(once.answers["words"]).toEqual([[1, 2]]);
  const twice = reduce(once, undo);
  expect(twice.answers["words"]).toBeUndefined();
  const thrice = reduce(twice, undo);
  expect(current(thrice)?.id).toBe("what");
  expect(thrice.answers).toEqual({ what: "B" });
});

test("a draft restored at the second question can go back to the first", () => {
  const begun = atWork(TWO);
  const task = { task: begun.task!, answers: { what: "C" }, at: 1, form: null, lease_ends: 0 };
  const restored = reduce(begun, { type: "task", ...task });
  expect(current(restored)?.id).toBe("words");
  expect(current(reduce(restored, undo))?.id).toBe("what");
});

test("another way out arms that one", () => {
  expect(atWork(ONE, way, { type: "way", way: "not_a_command" }).armed).toBe("not_a_command");
});

test("only a no asks which part is wrong, and a part named before a change of mind is not sent", () => {
  expect(current(atWork(CONFIRM, no, next))?.id).toBe("wrong");
  expect(given(CONFIRM, { right: true, wrong: "B" })).toEqual({ right: true });
  expect(asked(CONFIRM, {}).map(({ id }) => id)).toEqual(["right"]);
});

test("what is on its way can no longer be changed", () => {
  const sent = atWork(payload([CHOICE]), pick(0), next);
  for (const action of [pick(1), next, undo, way]) expect(reduce(sent, action)).toBe(sent);
  const refused = reduce(sent, { type: "sending", sending: { is: "idle" } });
  expect(reduce(refused, pick(1)).answers).toEqual({ what: "B" });
});

test("an expert's form is sent when it is sound, and only then", () => {
  const whole = payload([], { node: null });
  const form = { dialogue_type: "NOOP" };
  const state = atWork(whole, { type: "form", form });
  expect(reduce(state, { type: "give_form", isSound: false }).outgoing).toBeNull();
  expect(reduce(state, { type: "give_form", isSound: true }).outgoing).toEqual({ form });
  expect([way, way].reduce(reduce, state).outgoing).toEqual({ unknown: true });
});
