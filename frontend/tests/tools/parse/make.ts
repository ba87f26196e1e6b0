/** Steps to test with. */

import type { Payload, Question } from "../../../src/tools/parse/payload";
import { initialState, reduce, type Action, type ParseState } from "../../../src/tools/parse/state";

export const question = (over: Partial<Question> = {}): Question => ({
  id: "q",
  path: "",
  ask: "?",
  kind: "choice",
  options: [],
  optional: false,
  example: "",
  usual: [],
  name: "",
  only_alone: false,
  ...over,
});

export const OPTIONS = [
  { value: "A", label: "first" },
  { value: "B", label: "second" },
  { value: "C", label: "third" },
];

export const payload = (questions: Question[], over: Partial<Payload> = {}): Payload => ({
  text: "build a tall red tower",
  tokens: ["build", "a", "tall", "red", "tower"],
  context: [],
  node: { path: "/event_sequence/0", noun: "the action", trail: [], words: [] },
  so_far: { form: {}, words: "", outline: [] },
  questions,
  guess: null,
  parts: [],
  known: {},
  asks: questions.map(({ id }) => id),
  undo: null,
  back: [],
  ...over,
});

export const CONFIRM = payload(
  [question({ id: "right", kind: "yes_no" }), question({ id: "wrong", options: OPTIONS, optional: true })],
  {
    node: { path: "", noun: "the whole command", trail: [], words: [] },
    parts: ["A?x", "B?x"].map((part) => ({ part, label: part, text: "", words: [], about: "" })),
  },
);

export function atWork(given: Payload, ...actions: Action[]): ParseState {
  const begun = reduce(initialState(true), {
    type: "task",
    task: { assignment: "a", payload: given },
    answers: {},
    at: 0,
    form: null,
    lease_ends: 0,
  });
  return actions.reduce(reduce, begun);
}
