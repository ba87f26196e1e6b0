import { expect, test } from "vitest";
import { atWork, CONFIRM, OPTIONS, payload, question } from "./make";
import type { Payload, Question } from "../../../src/tools/parse/payload";
import { current, entriesOf, reduce, type Action } from "../../../src/tools/parse/state";

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

const word = (index: number, goesOn = true): Action => ({ type: "word", index, goesOn });
const yes: Action = { type: "say", yes: true };
const no: Action = { type: "say", yes: false };
const way: Action = { type: "way", way: "unknown" };
const back = (key: string): Action => ({ type: "back", key });
const ONE = payload([CHOICE]);
const TWO = payload([CHOICE, SPANS]);
const LATER = payload([CHOICE], { back: [{ key: "#", label: "the intent" }] });
const USUAL = payload([question({ kind: "choices", options: OPTIONS, usual: [["A"], ["A", "C"]] })]);
const LONG = payload([question({ options: [..."0123456789"].map((value) => ({ value, label: value })) })]);
const REST = payload([CHOICE, SPANS], { asks: ["words"], known: { what: "C" } });
const ALONE = payload([
  question({ id: "text_span", kind: "spans", optional: true, only_alone: true }),
  question({ kind: "spans", optional: true }),
]);
const GUESSED = payload([CHOICE], { guess: { ...CONFIRM.so_far, parts: CONFIRM.parts } });
const only = (kind: Question["kind"]): Payload => payload([question({ kind, options: OPTIONS })]);

test.each<[string, Payload, Action[], object | null]>([
  [
    "all answers, one question after the other",
    TWO,
    [pick(1), mark(2, 3), next],
    { answers: { what: "B", words: [[2, 3]] } },
  ],
  ["no optional answer", TWO, [pick(0), next], { answers: { what: "A" } }],
  ["one word by its key", TWO, [pick(0), word(2)], { answers: { what: "A", words: [[2, 2]] } }],
  [
    "words in a row by their keys",
    TWO,
    [pick(0), word(1, false), word(3)],
    { answers: { what: "A", words: [[1, 3]] } },
  ],
  ["a usual answer of several choices", USUAL, [pick(1)], { answers: { q: ["A", "C"] } }],
  ["no usual answer, but choices one by one", USUAL, [pick(2), pick(1), next], { answers: { q: ["B"] } }],
  ["an option of the second screen", LONG, [pick(7), pick(1)], { answers: { q: "8" } }],
  ["that a guess is right", GUESSED, [next], { answers: {}, accept: true }],
  ["which part of a guess is wrong", GUESSED, [pick(1)], { answers: {}, wrong: "B?x" }],
  ["what is known with what is asked", REST, [word(1)], { answers: { words: [[1, 1]], what: "C" } }],
  ["words of the whole only where nothing else is said", ALONE, [next, word(4)], { answers: { text_span: [[4, 4]] } }],
  ["no words of the whole where its parts are said", ALONE, [word(4)], { answers: { q: [[4, 4]] } }],
  ["undo before the first answer: a step back", payload([CHOICE], { undo: "#" }), [undo], { answers: {}, back: "#" }],
  ["nothing without a needed answer", ONE, [next], null],
  ["yes or no", only("yes_no"), [pick(1)], { answers: { q: false } }],
  ["yes by its word", only("yes_no"), [yes], { answers: { q: true } }],
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
  ["“I cannot tell” not with a press between", only("spans"), [way, mark(0, 1), way], null],
  ["a step back that the server offered", LATER, [back("#")], { answers: {}, back: "#" }],
  ["no other step back", LATER, [back("/else#")], null],
  ["a yes at the end", CONFIRM, [yes], { answers: { right: true } }],
  ["the part that is wrong at the end", CONFIRM, [pick(1)], { answers: { right: false, wrong: "B?x" } }],
  ["no bare no", CONFIRM, [no], null],
])("what is sent: %s", (_, given, actions, outgoing) => {
  expect(atWork(given, ...actions).outgoing).toEqual(outgoing);
});

test.each<[string, Payload, Action[], object]>([
  ["which kind of answer is needed", ONE, [next], { is: "unanswered", kind: "choice" }],
  ["that a no names a part", CONFIRM, [no], { is: "name_the_part" }],
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
  const state = atWork(TWO, pick(1), mark(1, 1), mark(1, 2, false), mark(4, 4));
  const once = reduce(state, undo);
  expect(once.answers["words"]).toEqual([[1, 2]]);
  const twice = reduce(once, undo);
  expect(twice.answers["words"]).toBeUndefined();
  const thrice = reduce(twice, undo);
  expect(current(thrice)?.id).toBe("what");
  expect(thrice.answers).toEqual({});
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

test("at most seven options and the way to more are on a screen", () => {
  const state = atWork(LONG);
  const shown = entriesOf(state, current(state)!);
  expect(shown.map((entry) => (entry.is === "option" ? entry.option.value : entry.is))).toEqual([..."0123456", "more"]);
});

test("what is on its way can no longer be changed", () => {
  const sent = atWork(payload([CHOICE]), pick(0));
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
