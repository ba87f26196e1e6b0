/** The state of the live session's page. Pure: no clock, no network. */

import {
  initialProgress,
  stepProgress,
  taskProgress,
  type WorkProgress,
  type ProgressAction,
  type ProgressNotice,
} from "../../work/progress";
import { beginLive, reduceLive, type Live, type LiveAction } from "./live";
import type { Payload, OwnWords } from "./payload";
import { hindranceOf } from "./session_status";
import type { Message, Reflection } from "./connection/wire";

export interface Task {
  assignment: string;
  payload: Payload;
}

/** The worker's ratings and feedback so far. */
export interface Thoughts {
  usability: number | null;
  performance: number | null;
  feedback: string;
}

export interface InteractionState extends WorkProgress<ProgressNotice> {
  task: Task | null;
  live: Live;
  /** Text that is typed and not sent. */
  text: string;
  /** The choice that needs words, and the words so far. */
  writing: { choice: number; text: string } | null;
  /** The words written so far, shown again after a step back or a reload. The next question does not get them. */
  ownWords: OwnWords | null;
  /** The index of the object that is shown for a question. */
  looksAt: number | null;
  /** The last page, with the two ratings, replaces the world. */
  isReflecting: boolean;
  thoughts: Thoughts;
  /** The reflection that was sent last, whether or not it has arrived. */
  reflected: Reflection | null;
  /** The dialog about leaving early is open. */
  isLeaving: boolean;
  /** Id of the block in the worker's hand. */
  block: number;
  /** False once the worker wants no guided first minute. */
  wantsHelp: boolean;
}

export type Action =
  | {
      type: "task";
      task: Task;
      text: string;
      feedback: string;
      ownWords: OwnWords | null;
      lease_ends: number;
      now: number;
    }
  | { type: "live"; action: LiveAction }
  | { type: "write"; text: string }
  | { type: "choose_words"; choice: number | null }
  | { type: "words"; text: string }
  | { type: "look_at"; thing: number }
  | { type: "last"; isOpen: boolean }
  | { type: "think"; thoughts: Partial<Thoughts> }
  | { type: "leaving"; isOpen: boolean }
  | { type: "block"; id: number }
  | { type: "no_help" }
  | ProgressAction<ProgressNotice>;

export const LONGEST_COMMAND = 500;
export const LONGEST_WORDS = 2_000;
export const LONGEST_FEEDBACK = 4_000;

export function initialState(keysOn: boolean): InteractionState {
  return {
    ...initialProgress(keysOn),
    task: null,
    live: beginLive(0, 0),
    text: "",
    writing: null,
    ownWords: null,
    looksAt: null,
    isReflecting: false,
    thoughts: { usability: null, performance: null, feedback: "" },
    reflected: null,
    isLeaving: false,
    block: 0,
    wantsHelp: true,
  };
}

/** Next state after one action. */
export function reduce(state: InteractionState, action: Action): InteractionState {
  switch (action.type) {
    case "task": {
      const { payload } = action.task;
      return {
        ...initialState(state.keysOn),
        workStatus: state.workStatus,
        ...taskProgress<ProgressNotice>(state, action.lease_ends),
        task: action.task,
        live: beginLive(payload.minimum_s, action.now),
        text: action.text,
        ownWords: action.ownWords,
        thoughts: { usability: null, performance: null, feedback: action.feedback },
        block: payload.blocks[0] ?? 0,
        wantsHelp: state.wantsHelp,
      };
    }
    case "live":
      return afterLive(state, action.action);
    case "write":
      return { ...state, text: action.text.slice(0, LONGEST_COMMAND) };
    case "choose_words":
      return { ...state, writing: action.choice === null ? null : { choice: action.choice, text: wordsFor(state) } };
    case "words":
      return withOwnWords(state, action.text.slice(0, LONGEST_WORDS));
    case "look_at":
      return { ...state, looksAt: action.thing };
    case "last":
      return state.live.phase === "running" ? { ...state, isReflecting: action.isOpen } : state;
    case "think":
      return { ...state, thoughts: { ...state.thoughts, ...action.thoughts } };
    case "leaving":
      return { ...state, isLeaving: action.isOpen && state.live.phase !== "ended" };
    case "no_help":
      return { ...state, wantsHelp: false };
    case "block":
      return state.task?.payload.blocks.includes(action.id) ? { ...state, block: action.id } : state;
    default:
      return { ...state, ...stepProgress(action) };
  }
}

/** The words already written for the open question. */
function wordsFor({ ownWords: last, live: { question } }: InteractionState): string {
  return last && question && last.command === question.command && last.node === question.node ? last.text : "";
}

function withOwnWords(state: InteractionState, text: string): InteractionState {
  const { writing, live } = state;
  if (!writing || !live.question) return state;
  const { command, node } = live.question;
  return { ...state, writing: { ...writing, text }, ownWords: { command, node, text } };
}

function afterLive(state: InteractionState, action: LiveAction): InteractionState {
  const live = reduceLive(state.live, action);
  if (action.type === "sent" && action.message.type === "reflect")
    return { ...state, live, reflected: action.message.body };
  if (action.type === "refused" && action.message.type === "reflect") return { ...state, live, reflected: null };
  if (live === state.live) return state;
  const isOther =
    live.question?.node !== state.live.question?.node || live.question?.command !== state.live.question?.command;
  const after: InteractionState = { ...state, live, ...(isOther ? { writing: null, looksAt: null } : {}) };
  if (live.phase === "ended") return { ...after, isLeaving: false, isReflecting: false, dialog: null };
  // After a reload the ratings come from the log.
  const { reflection } = live;
  if (
    reflection &&
    reflection !== state.live.reflection &&
    state.thoughts.usability === null &&
    state.thoughts.performance === null
  ) {
    const feedback = state.thoughts.feedback || reflection.feedback;
    return { ...after, reflected: reflection, thoughts: { ...reflection, feedback } };
  }
  return after;
}

/** The command that Send gives now; null if the text is empty or no command is allowed. */
export function commandOf(state: InteractionState, newId: () => string, now: number): Message | null {
  const text = state.text.trim();
  return text && hindranceOf(state.live, now) === null ? { type: "command", body: { id: newId(), text } } : null;
}

/** The effect of a choice: a message, words that must be written first, or nothing. */
export function choiceMessage(state: InteractionState, choice: number): Message | "words" | null {
  const { question, ask } = state.live;
  if (question) {
    const one = question.choices[choice];
    if (!one || question.given !== null) return null;
    if (!one.text) return { type: "mark", body: { command: question.command, node: question.node, choice } };
    const text = state.writing?.choice === choice ? state.writing.text.trim() : "";
    return text ? { type: "mark", body: { command: question.command, node: question.node, choice, text } } : "words";
  }
  if (!ask || ask.given !== null || !(choice in ask.choices)) return null;
  return { type: "choose", body: { question: ask.question, choice } };
}

export function backMessage({ live: { question } }: InteractionState): Message | null {
  return question?.can_go_back && question.given === null
    ? { type: "back", body: { command: question.command } }
    : null;
}

/** The reflection, once both ratings are given. */
export function reflectionOf({ thoughts: { usability, performance, feedback } }: InteractionState): Reflection | null {
  return usability === null || performance === null ? null : { usability, performance, feedback: feedback.trim() };
}

/** The reflection, if it was not sent yet. */
export function unreflected(state: InteractionState): Reflection | null {
  const now = reflectionOf(state);
  const last = state.reflected;
  const isSame =
    now &&
    last &&
    now.usability === last.usability &&
    now.performance === last.performance &&
    now.feedback === last.feedback;
  return isSame ? null : now;
}

/** Whether Finish hands in the session now. */
export function mayFinish(state: InteractionState): boolean {
  const { live } = state;
  return (
    live.phase === "running" && live.mayFinish && !live.isFinishing && !live.command && reflectionOf(state) !== null
  );
}
