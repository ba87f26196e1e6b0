/** The state of the parse page. Pure: no clock, no network. */

import {
  initialProgress,
  stepProgress,
  taskProgress,
  type WorkProgress,
  type ProgressAction,
  type ProgressNotice,
} from "../../work/progress";
import type { Answer, Answers, Option, Payload, Question, Value } from "./payload";
import { sameRuns, type Runs } from "./spans";

export type Way = "unknown" | "not_a_command";

export type Notice =
  | { is: "unanswered"; kind: Question["kind"] }
  | { is: "nothing_to_undo"; mayGoBack: boolean }
  | { is: "sure"; way: Way }
  | { is: "faulty" }
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
    past: [],
    armed: null,
    form: null,
    outgoing: null,
  };
}

// Questions ----------------------------------------------------------------------------------------------------------

/** Whether this is the last step of a command, which asks for confirmation. */
export function isConfirm(payload: Payload): boolean {
  return (
    payload.questions.some((question) => question.id === "right" && question.kind === "yes_no") &&
    payload.node?.path === ""
  );
}

/** The questions that apply: which part is wrong is asked only after a no, and is then required. */
export function asked(payload: Payload, answers: Answers): readonly Question[] {
  if (!isConfirm(payload)) return payload.questions;
  return payload.questions
    .filter((question) => question.id !== "wrong" || answers["right"] === false)
    .map((question) => (question.id === "wrong" ? { ...question, optional: false } : question));
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
  if (!state.task) return null;
  const questions = asked(state.task.payload, state.answers);
  return questions[Math.min(state.at, questions.length - 1)] ?? null;
}

/** The answer to submit: the answers of the questions that apply. */
export function given(payload: Payload, answers: Answers): Answers {
  const said = asked(payload, answers).flatMap(({ id }) => {
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
        answers: action.answers,
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
      return current(state)?.kind === "yes_no" ? pick(state, action.yes ? 0 : 1) : state;
    case "runs":
      return answer(state, "spans", action.runs, action.isFirst);
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

function pick(state: ParseState, index: number): ParseState {
  const question = current(state);
  const option = question && optionsOf(question)[index];
  if (!question || !option) return state;
  const before = state.answers[question.id];
  switch (question.kind) {
    case "yes_no":
      return answer(state, "yes_no", option.value === "yes", true);
    case "choice":
      // An optional choice can be taken back with the same key.
      if (before === option.value) return question.optional ? answer(state, "choice", null, true) : state;
      return answer(state, "choice", option.value, true);
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

function next(state: ParseState): ParseState {
  const question = current(state);
  if (!mayAnswer(state) || !state.task || !question) return state;
  if (!question.optional && !isSaid(state.answers[question.id]))
    return { ...state, armed: null, notice: { is: "unanswered", kind: question.kind } };
  const { payload } = state.task;
  const questions = asked(payload, state.answers);
  if (state.at < questions.length - 1) {
    return {
      ...state,
      at: state.at + 1,
      past: [...state.past, { answers: state.answers, at: state.at }],
      armed: null,
      notice: null,
    };
  }
  return send(state, { answers: given(payload, state.answers) });
}

function undo(state: ParseState): ParseState {
  if (!mayAnswer(state)) return state;
  if (state.armed) return { ...state, armed: null, notice: null };
  const before = state.past.at(-1);
  if (before) return { ...state, ...before, past: state.past.slice(0, -1), notice: null };
  // A draft stores the current question, but not the way to it.
  if (state.at > 0) return { ...state, at: state.at - 1, notice: null };
  return { ...state, notice: { is: "nothing_to_undo", mayGoBack: (state.task?.payload.back.length ?? 0) > 0 } };
}
