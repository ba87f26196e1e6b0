/**
 * The state of a session, from the events of its log and the messages of this page. Pure; the blocks are in world.ts.
 */

import { scoreAloud, scored, type LightRule, type Score } from "./light";
import {
  CLOSE,
  type Ask,
  type Corners,
  type Event,
  type Message,
  type Numbered,
  type Progress,
  type Question,
  type Reflection,
  type Welcome,
} from "./connection/wire";

/** One line of the talk. */
export interface TalkLine {
  key: string;
  who: "you" | "assistant" | "page";
  text: string;
  /** How a command ended. */
  went: null | "going" | "done" | "failed" | "stopped";
}

/** The latest command, until the worker has said how it went. */
export interface CurrentCommand {
  id: string;
  text: string;
  progress: "sending" | Progress;
  /** When its receipt became known, in ms of this browser's clock. */
  received_at: number | null;
  isUnderstood: boolean;
  isStopping: boolean;
}

export interface Live {
  phase: "before" | "running" | "ended";
  reason: string | null;
  agent: "waiting" | "here" | "away";
  isEvaluation: boolean;
  prompt: string | null;
  /** `at`: the time of `elapsed_s`, in ms of this browser's clock. */
  clock: { elapsed_s: number; minimum_s: number; at: number };
  mayFinish: boolean;
  talk: readonly TalkLine[];
  command: CurrentCommand | null;
  question: (Question & { given: number | null }) | null;
  ask: (Ask & { given: number | null }) | null;
  /** Whether the worker has moved or looked around on this page. */
  hasWalked: boolean;
  /** Where the assistant pointed last; removed by the next command. */
  pointed: Corners | null;
  /** Null if the page has no light. */
  light: LightRule | null;
  /** The scores, oldest first. */
  scores: readonly Score[];
  /** The worker's reflection, as the server has it. */
  reflection: Reflection | null;
  isStarting: boolean;
  isFinishing: boolean;
  line: { isUp: boolean; attempt: number };
  /** The close code, if the socket stays closed: see CLOSE. */
  closedBy: number | null;
  /** The number of the last event before the server's greeting; later events are news. */
  lastSeq: number;
  /** How far the server's clock is ahead of this browser's, in ms. */
  ahead_ms: number;
  /** The latest texts for screen readers. */
  announced: readonly { key: number; text: string }[];
}

export type LiveAction =
  | { type: "welcome"; welcome: Welcome; now: number }
  | { type: "event"; event: Event; now: number }
  | { type: "sent"; message: Message | Numbered; now: number }
  | { type: "refused"; message: Numbered; detail: string }
  | { type: "line"; isUp: boolean; attempt: number }
  | { type: "over"; code: number }
  | { type: "again" }
  /** Known without the socket: the worker left, or the time ran out. */
  | { type: "ended"; reason: string };

export function beginLive(minimum_s: number, now: number): Live {
  return {
    phase: "before",
    reason: null,
    agent: "waiting",
    isEvaluation: false,
    prompt: null,
    clock: { elapsed_s: 0, minimum_s, at: now },
    mayFinish: false,
    talk: [],
    command: null,
    question: null,
    ask: null,
    hasWalked: false,
    pointed: null,
    light: null,
    scores: [],
    reflection: null,
    isStarting: false,
    isFinishing: false,
    line: { isUp: false, attempt: 0 },
    closedBy: null,
    lastSeq: 0,
    ahead_ms: 0,
    announced: [],
  };
}

export function reduceLive(live: Live, action: LiveAction): Live {
  switch (action.type) {
    case "welcome":
      return afterWelcome(live, action.welcome, action.now);
    case "event":
      return afterEvent(live, action.event, action.now);
    case "sent":
      return afterSending(live, action.message);
    case "refused":
      return afterRefusal(live, action.message, action.detail);
    case "line":
      return { ...live, line: { isUp: action.isUp, attempt: action.attempt } };
    case "over":
      if (action.code === CLOSE.afterEnd) return ended(live, live.reason ?? "over");
      return { ...live, closedBy: action.code };
    case "again":
      return { ...live, closedBy: null, line: { isUp: false, attempt: 0 } };
    case "ended":
      return live.phase === "ended" ? live : ended(live, action.reason);
  }
}

const ended = (live: Live, reason: string): Live => ({
  ...live,
  phase: "ended",
  reason,
  isFinishing: false,
  isStarting: false,
});

function afterWelcome(live: Live, { state, server_time, last_seq }: Welcome, now: number): Live {
  const ahead_ms = (Date.parse(server_time) || now) - now;
  const known = {
    agent: state.agent,
    isEvaluation: state.evaluation,
    light: state.light ?? null,
    mayFinish: state.may_finish,
    clock: { elapsed_s: state.elapsed_s, minimum_s: state.minimum_s, at: now },
    lastSeq: last_seq,
    ahead_ms,
    closedBy: null,
  };
  const greeted = { ...live, ...known, phase: live.phase === "ended" ? live.phase : state.phase };
  return state.phase === "ended" ? ended(greeted, state.reason ?? live.reason ?? "over") : greeted;
}

/** A sent message is shown at once; later the log confirms it. */
function afterSending(live: Live, message: Message): Live {
  switch (message.type) {
    case "start":
      return { ...live, isStarting: true };
    case "finish":
      return { ...live, isFinishing: true };
    case "command":
      return afterCommand(live, message.body);
    case "stop":
      return live.command?.id === message.body.command
        ? { ...live, command: { ...live.command, isStopping: true } }
        : live;
    case "choose":
      return live.ask?.question === message.body.question
        ? { ...live, ask: { ...live.ask, given: message.body.choice } }
        : live;
    case "mark":
      return live.question?.node === message.body.node
        ? { ...live, question: { ...live.question, given: message.body.choice } }
        : live;
    case "back":
      return live.question ? { ...live, question: { ...live.question, given: BACK } } : live;
    case "pose":
      return live.hasWalked ? live : { ...live, hasWalked: true };
    case "reflect":
    case "place":
    case "destroy":
      return live;
  }
}

/** Stands in place of a choice: the worker went back, and the previous question is on its way. */
export const BACK = -1;

function afterCommand(live: Live, { id, text }: { id: string; text: string }): Live {
  if (live.talk.some(({ key }) => key === id)) return live;
  const command: CurrentCommand = {
    id,
    text,
    progress: "sending",
    received_at: null,
    isUnderstood: false,
    isStopping: false,
  };
  return {
    ...live,
    command,
    question: null,
    ask: null,
    pointed: null,
    talk: [...live.talk, { key: id, who: "you", text, went: "going" }],
  };
}

/** Undoes the effect of a message that the server refused. */
function afterRefusal(live: Live, message: Numbered, detail: string): Live {
  switch (message.type) {
    case "start":
      return { ...live, isStarting: false };
    case "finish":
      return withLine(
        { ...live, isFinishing: false },
        "page",
        `refused-${message.cseq}`,
        "This cannot be handed in yet. Please keep going a little.",
        true,
      );
    case "command": {
      const talk = live.talk.filter(({ key }) => key !== message.body.id);
      const without = { ...live, talk, command: live.command?.id === message.body.id ? null : live.command };
      return withLine(
        without,
        "page",
        `refused-${message.cseq}`,
        `“${message.body.text}” was not taken. ${detail}`.trim(),
        true,
      );
    }
    case "stop":
      return live.command ? { ...live, command: { ...live.command, isStopping: false } } : live;
    case "choose":
      return live.ask ? { ...live, ask: { ...live.ask, given: null } } : live;
    case "mark":
    case "back":
      return live.question ? { ...live, question: { ...live.question, given: null } } : live;
    default:
      return live;
  }
}

function afterEvent(live: Live, event: Event, now: number): Live {
  const isNews = event.seq > live.lastSeq;
  switch (event.type) {
    case "start": {
      const started = { ...live, isStarting: false, phase: "running" as const };
      return live.phase === "before"
        ? { ...started, clock: { ...live.clock, elapsed_s: 0, at: localTime(live, event, now) } }
        : started;
    }
    case "finish":
      return { ...live, isFinishing: true };
    case "command":
      return afterCommand(live, event.body);
    case "reflect":
      return { ...live, reflection: event.body };
    case "stop":
    case "pose":
    case "choose":
    case "mark":
    case "back":
      return afterSending(live, event);
    case "status":
      return afterProgress(live, event.body, {
        by: event.from,
        at: localTime(live, event, now),
        seq: event.seq,
        isNews,
      });
    case "parse":
      return live.command?.id === event.body.command
        ? { ...live, command: { ...live.command, isUnderstood: true } }
        : live;
    case "say":
      return withLine(live, "assistant", `said-${event.seq}`, event.body.text, isNews);
    case "ask":
      return announce({ ...live, ask: { ...event.body, given: null } }, event.body.text, isNews, event.seq);
    case "point":
      return { ...live, pointed: event.body.box };
    case "question":
      return announce({ ...live, question: { ...event.body, given: null } }, event.body.ask, isNews, event.seq);
    case "outcome":
      return afterOutcome(live, event.body.command);
    case "score": {
      const after = { ...live, scores: scored(live.scores, event.body) };
      const score = after.scores.find(({ command }) => command === event.body.command);
      return announce(after, score && live.light ? scoreAloud(score) : "", isNews, event.seq);
    }
    case "prompt":
      return announce({ ...live, prompt: event.body.text }, event.body.text, isNews, event.seq);
    // The greeting already held the current value of these.
    case "clock":
      return isNews ? { ...live, clock: { ...event.body, at: localTime(live, event, now) } } : live;
    case "may_finish":
      return isNews
        ? announce(
            { ...live, mayFinish: event.body.allowed },
            event.body.allowed ? "You may finish now." : "",
            true,
            event.seq,
          )
        : live;
    case "peer":
      return isNews && event.body.who === "agent" ? { ...live, agent: event.body.state } : live;
    case "closed":
      return ended(live, event.body.reason);
    default:
      return live;
  }
}

/** The time of an event by this browser's clock. */
function localTime(live: Live, { at }: { at: string }, now: number): number {
  const then = Date.parse(at) - live.ahead_ms;
  return Number.isNaN(then) ? now : Math.min(then, now);
}

interface EventContext {
  by: string;
  at: number;
  seq: number;
  isNews: boolean;
}

function afterProgress(
  live: Live,
  { command: id, state, reason }: { command: string; state: Progress; reason?: string | null },
  { by, at, seq, isNews }: EventContext,
): Live {
  const { command } = live;
  if (!command || command.id !== id) return live;
  const isOver = state === "done" || state === "failed";
  const after: Live = {
    ...live,
    command: {
      ...command,
      progress: state,
      received_at: command.received_at ?? at,
      isUnderstood: command.isUnderstood || state === "acting" || isOver,
    },
    ...(isOver ? { ask: null } : {}),
  };
  if (!isOver) return announce(after, PROGRESS_ALOUD[state], isNews, seq);
  const went = state === "done" ? "done" : command.isStopping || reason === "stopped" ? "stopped" : "failed";
  const settled = { ...after, talk: after.talk.map((line): TalkLine => (line.key === id ? { ...line, went } : line)) };
  if (state === "failed" && by === "server")
    return withLine(
      settled,
      "page",
      `failed-${seq}`,
      "The assistant did not answer any more, so this command was ended.",
      isNews,
    );
  return announce(settled, { done: "Done.", stopped: "Stopped.", failed: "It was not done." }[went], isNews, seq);
}

const PROGRESS_ALOUD: Record<"received" | "thinking" | "acting", string> = {
  received: "Command received.",
  thinking: "The assistant is thinking.",
  acting: "The assistant is doing the task.",
};

function afterOutcome(live: Live, id: string): Live {
  return { ...live, command: live.command?.id === id ? null : live.command, question: null, ask: null, pointed: null };
}

function withLine(live: Live, who: TalkLine["who"], key: string, text: string, isNews: boolean): Live {
  if (live.talk.some((line) => line.key === key)) return live;
  const talk = [...live.talk, { key, who, text, went: null }];
  return announce(
    { ...live, talk },
    who === "assistant" ? `The assistant says: ${text}` : text,
    isNews,
    live.talk.length,
  );
}

const MOST_ALOUD = 4;

function announce(live: Live, text: string, isNews: boolean, seq: number): Live {
  if (!isNews || !text) return live;
  const last = live.announced.at(-1)?.key ?? 0;
  return { ...live, announced: [...live.announced.slice(1 - MOST_ALOUD), { key: Math.max(last + 1, seq), text }] };
}
