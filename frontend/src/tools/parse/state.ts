/** The state of the parse page. Pure: no clock, no network. */

import {
  initialProgress,
  stepProgress,
  taskProgress,
  type WorkProgress,
  type ProgressAction,
  type ProgressNotice,
} from "../../work/progress";
import type { Answer, Answers, Guess, Option, Part, Payload, Question, Value } from "./payload";
import { painted, sameRuns, type Runs } from "./spans";

export type Way = "unknown" | "not_a_command";

export type Notice =
  | { is: "unanswered"; kind: Question["kind"] }
  | { is: "nothing_to_undo"; mayGoBack: boolean }
  | { is: "sure"; way: Way }
  | { is: "faulty" }
  | { is: "name_the_part" }
  | ProgressNotice;

/** The current task: one step of a command, or its whole form if `payload.node` is null. */
export interface Task {
  assignment: string;
  payload: Payload;
}

interface Moment {
  answers: Answers;
  at: number;
}

export interface ParseState extends WorkProgress<Notice> {
  task: Task | null;
  answers: Answers;
  /** The index of the current question. */
  at: number;
  /** Several choices are picked one by one, not as a usual answer. */
  isOneByOne: boolean;
  /** The screen of options, from 0. */
  page: number;
  /** The first of several words in a row, marked by its key. */
  anchor: number | null;
  /** The states that Undo returns to, the latest last. */
  past: readonly Moment[];
  /** The button that was pressed once and needs a second press. */
  armed: Way | null;
  /** The form in the expert's editor. */
  form: unknown;
  /** Set when the worker is done: the session sends it. */
  outgoing: Answer | null;
}

export type Action =
  | { type: "task"; task: Task; answers: Answers; at: number; form: unknown; lease_ends: number }
  | { type: "pick"; index: number }
  | { type: "say"; yes: boolean }
  | { type: "runs"; runs: Runs; isFirst: boolean }
  | { type: "word"; index: number; goesOn: boolean }
  | { type: "write"; text: string }
  | { type: "next" }
  | { type: "undo" }
  | { type: "way"; way: Way }
  | { type: "back"; key: string }
  | { type: "form"; form: unknown }
  | { type: "give_form"; isSound: boolean }
  | ProgressAction<Notice>;

export function initialState(keysOn: boolean): ParseState {
  return {
    ...initialProgress(keysOn),
    task: null,
    answers: {},
    at: 0,
    ...BEGUN,
    past: [],
    armed: null,
    form: null,
    outgoing: null,
  };
}

/** How a question begins. */
const BEGUN = { isOneByOne: false, page: 0, anchor: null } as const;

// Questions ----------------------------------------------------------------------------------------------------------

/** Whether this is the last step of a command, which asks for confirmation. */
export function isConfirm(payload: Payload): boolean {
  return (
    payload.questions.some((question) => question.id === "right" && question.kind === "yes_no") &&
    payload.node?.path === ""
  );
}

/** The form that the worker is asked to accept or to correct; null where questions are asked. */
export function toCorrect(payload: Payload): Guess | null {
  if (payload.guess) return payload.guess;
  return isConfirm(payload) ? { ...payload.so_far, parts: payload.parts } : null;
}

/** The questions that apply. One that the others answer too comes last, and only where they have no answer. */
export function asked(payload: Payload, answers: Answers): readonly Question[] {
  const open = payload.questions.filter((question) => payload.asks.includes(question.id));
  const alone = open.filter((question) => question.only_alone);
  const others = payload.questions.filter((question) => !question.only_alone);
  const isTold = others.some(({ id }) => isSaid(answers[id]));
  return [...open.filter((question) => !question.only_alone), ...(isTold && others.length ? [] : alone)];
}

/** The most entries on one screen of options. */
export const MOST_SHOWN = 7;

/** An entry of the list of options: one of them, a usual answer of several, or the way to more. */
export type Entry =
  | { is: "option"; option: Option }
  | { is: "usual"; values: readonly string[]; label: string }
  | { is: "one_by_one" }
  | { is: "more"; left: number };

/** The entries on the screen now. */
export function entriesOf(state: Pick<ParseState, "isOneByOne" | "page">, question: Question): readonly Entry[] {
  if (question.kind === "choices" && question.usual.length && !state.isOneByOne) {
    const label = (value: string): string => question.options.find((one) => one.value === value)?.label ?? value;
    const usual = question.usual.map((values) => ({
      is: "usual" as const,
      values,
      label: values.map(label).join(" + ") || "none of these",
    }));
    return [...usual, { is: "one_by_one" }];
  }
  const options = optionsOf(question);
  const first = state.page * MOST_SHOWN;
  const shown = options.slice(first, first + MOST_SHOWN).map((option) => ({ is: "option" as const, option }));
  const left = options.length - first - shown.length;
  if (left > 0) return [...shown, { is: "more", left }];
  return state.page > 0 ? [...shown, { is: "more", left: 0 }] : shown;
}

const YES_NO: readonly Option[] = [
  { value: "yes", label: "Yes" },
  { value: "no", label: "No" },
];

export function optionsOf(question: Question): readonly Option[] {
  return question.kind === "yes_no" ? YES_NO : question.options;
}

export function isPicked(question: Question, value: Value | undefined, option: Option): boolean {
  switch (question.kind) {
    case "yes_no":
      return value === (option.value === "yes");
    case "choices":
      return Array.isArray(value) && (value as readonly string[]).includes(option.value);
    default:
      return value === option.value;
  }
}

export function isSaid(value: Value | undefined): boolean {
  if (value === undefined) return false;
  if (typeof value === "string") return value.trim() !== "";
  return typeof value === "boolean" || value.length > 0;
}

export function current(state: ParseState): Question | null {
  if (!state.task || toCorrect(state.task.payload)) return null;
  const questions = asked(state.task.payload, state.answers);
  return questions[Math.min(state.at, questions.length - 1)] ?? null;
}

/** The answer to submit: the answers of the questions that apply, and those that are known already. */
export function given(payload: Payload, answers: Answers): Answers {
  const known = payload.questions.filter(({ id }) => !payload.asks.includes(id));
  const said = [...asked(payload, answers), ...known].flatMap(({ id }) => {
    const value = answers[id];
    return value !== undefined && isSaid(value)
      ? [[id, typeof value === "string" ? value.trim() : value] as const]
      : [];
  });
  return Object.fromEntries(said);
}

/** Whether answers can be changed: there is a task, and nothing is being sent. */
export function mayAnswer(state: ParseState): boolean {
  return state.screen.is === "judging" && state.task !== null && state.outgoing === null && state.sending.is === "idle";
}

// Steps --------------------------------------------------------------------------------------------------------------

/** Next state after one action. */
export function reduce(state: ParseState, action: Action): ParseState {
  switch (action.type) {
    case "task":
      return {
        ...state,
        ...taskProgress(state, action.lease_ends),
        task: action.task,
        answers: { ...action.task.payload.known, ...action.answers },
        ...BEGUN,
        at: Math.min(action.at, Math.max(0, asked(action.task.payload, action.answers).length - 1)),
        past: [],
        armed: null,
        form: action.form,
        outgoing: null,
      };
    case "screen":
      return { ...state, ...stepProgress(action), outgoing: null, armed: null };
    case "pick":
      return pick(state, action.index);
    case "say":
      if (state.task && toCorrect(state.task.payload)) return action.yes ? next(state) : nameThePart(state);
      return current(state)?.kind === "yes_no" ? pick(state, action.yes ? 0 : 1) : state;
    case "runs":
      return answer(state, "spans", action.runs, action.isFirst);
    case "word":
      return word(state, action.index, action.goesOn);
    case "write":
      return answer(state, "text", action.text, !isSaid(state.answers[current(state)?.id ?? ""]));
    case "next":
      return next(state);
    case "undo":
      return undo(state);
    case "way":
      if (!mayAnswer(state)) return state;
      if (state.armed !== action.way) return { ...state, armed: action.way, notice: { is: "sure", way: action.way } };
      return send(state, way(state, action.way));
    case "back":
      if (!mayAnswer(state) || !state.task?.payload.back.some(({ key }) => key === action.key)) return state;
      return send(state, { answers: {}, back: action.key });
    case "form":
      return mayAnswer(state) ? { ...state, form: action.form, armed: null, notice: null } : state;
    case "give_form":
      if (!mayAnswer(state)) return state;
      return action.isSound ? send(state, { form: state.form }) : { ...state, notice: { is: "faulty" } };
    case "sending":
      return { ...state, ...stepProgress(action), outgoing: action.sending.is === "idle" ? null : state.outgoing };
    default:
      return { ...state, ...stepProgress(action) };
  }
}

function send(state: ParseState, outgoing: Answer): ParseState {
  return { ...state, outgoing, armed: null, notice: null };
}

function way(state: ParseState, chosen: Way): Answer {
  if (state.task?.payload.node === null) return { unknown: true };
  return chosen === "unknown" ? { answers: {}, unknown: true } : { answers: {}, not_a_command: true };
}

/** Sets the value of the current question. With `isNew`, Undo returns to the value before. */
function answer(state: ParseState, kind: Question["kind"], value: Value | null, isNew: boolean): ParseState {
  const question = current(state);
  if (!mayAnswer(state) || !question || question.kind !== kind) return state;
  const before = state.answers[question.id];
  if (kind === "spans" && value && sameRuns((before ?? []) as Runs, value as Runs)) return { ...state, armed: null };
  const { [question.id]: _, ...others } = state.answers;
  return {
    ...state,
    answers: value === null ? others : { ...others, [question.id]: value },
    past: isNew ? [...state.past, { answers: state.answers, at: state.at }] : state.past,
    armed: null,
    notice: null,
  };
}

function nameThePart(state: ParseState): ParseState {
  return mayAnswer(state) ? { ...state, armed: null, notice: { is: "name_the_part" } } : state;
}

/** Marks a word by its key. `goesOn`: that is all; otherwise it begins or ends a row of words. */
function word(state: ParseState, index: number, goesOn: boolean): ParseState {
  const question = current(state);
  if (!mayAnswer(state) || question?.kind !== "spans" || index >= (state.task?.payload.tokens.length ?? 0))
    return state;
  const runs = painted((state.answers[question.id] ?? []) as Runs, state.anchor ?? index, index, true);
  const marked = answer(state, "spans", runs, true);
  if (!goesOn) return { ...marked, anchor: state.anchor === null ? index : null };
  return next({ ...marked, anchor: null }, { isNew: false });
}

/** Marks one part of the form as wrong. */
function wrong(state: ParseState, payload: Payload, part: Part | undefined): ParseState {
  if (!mayAnswer(state) || !part) return state;
  if (payload.guess) return send(state, { answers: {}, wrong: part.part });
  return send(state, { answers: { right: false, wrong: part.part } });
}

function pick(state: ParseState, index: number): ParseState {
  const payload = state.task?.payload;
  const correcting = payload && toCorrect(payload);
  if (payload && correcting) return wrong(state, payload, correcting.parts[index]);
  const question = current(state);
  const entry = question && entriesOf(state, question)[index];
  if (!question || !entry || !mayAnswer(state)) return state;
  if (entry.is === "one_by_one") return { ...state, isOneByOne: true, page: 0 };
  if (entry.is === "more") return { ...state, page: entry.left ? state.page + 1 : 0 };
  if (entry.is === "usual") {
    const given = answer(state, "choices", entry.values.length ? entry.values : null, true);
    return next(given, { isNew: false });
  }
  const { option } = entry;
  const before = state.answers[question.id];
  switch (question.kind) {
    case "yes_no":
      return next(answer(state, "yes_no", option.value === "yes", true), { isNew: false });
    case "choice":
      return next(answer(state, "choice", option.value, true), { isNew: false });
    case "choices": {
      const chosen = new Set((before ?? []) as readonly string[]);
      if (!chosen.delete(option.value)) chosen.add(option.value);
      const inOrder = question.options.map(({ value }) => value).filter((value) => chosen.has(value));
      return answer(state, "choices", inOrder, true);
    }
    default:
      return state;
  }
}

/** Goes on to the next question, or sends the answers. `isNew`: Undo comes back to this moment. */
function next(state: ParseState, { isNew } = { isNew: true }): ParseState {
  if (!mayAnswer(state) || !state.task) return state;
  if (toCorrect(state.task.payload)) {
    return send(state, state.task.payload.guess ? { answers: {}, accept: true } : { answers: { right: true } });
  }
  const question = current(state);
  if (!question) return send(state, { answers: given(state.task.payload, state.answers) });
  if (!question.optional && !isSaid(state.answers[question.id]))
    return { ...state, armed: null, notice: { is: "unanswered", kind: question.kind } };
  const { payload } = state.task;
  const questions = asked(payload, state.answers);
  if (state.at < questions.length - 1) {
    return {
      ...state,
      at: state.at + 1,
      ...BEGUN,
      past: isNew ? [...state.past, { answers: state.answers, at: state.at }] : state.past,
      armed: null,
      notice: null,
    };
  }
  return send(state, { answers: given(payload, state.answers) });
}

function undo(state: ParseState): ParseState {
  if (!mayAnswer(state)) return state;
  if (state.armed) return { ...state, armed: null, notice: null };
  if (state.isOneByOne || state.page > 0) return { ...state, ...BEGUN, notice: null };
  const before = state.past.at(-1);
  if (before) return { ...state, ...before, ...BEGUN, past: state.past.slice(0, -1), notice: null };
  // A draft stores the current question, but not the way to it.
  if (state.at > 0) return { ...state, at: state.at - 1, notice: null };
  const earlier = state.task?.payload.undo;
  if (earlier) return send(state, { answers: {}, back: earlier });
  return { ...state, notice: { is: "nothing_to_undo", mayGoBack: (state.task?.payload.back.length ?? 0) > 0 } };
}
