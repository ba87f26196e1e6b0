/** How a session stands, from the lines of its log and from what this page sent. Pure; the world itself is world.ts. */

import { scoreAloud, scored, type LightRule, type Score } from "./light";
import { CLOSE, type Ask, type Corners, type Event, type Message, type Numbered, type Progress, type Question, type Reflection, type Welcome } from "./wire";

/** One line of the talk beside the world. */
export interface Said {
  key: string;
  who: "you" | "assistant" | "page";
  text: string;
  /** Of a command: how it went. */
  went: null | "going" | "done" | "failed" | "stopped";
}

/** The last command, until the worker has said how it went. */
export interface Commanded {
  id: string;
  text: string;
  progress: "sending" | Progress;
  /** When it was known to have been received, in ms of this browser's clock. */
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
  /** `at`: when that much had passed, in ms of this browser's clock. */
  clock: { elapsed_s: number; minimum_s: number; at: number };
  mayFinish: boolean;
  talk: readonly Said[];
  command: Commanded | null;
  question: (Question & { given: number | null }) | null;
  ask: (Ask & { given: number | null }) | null;
  /** What the assistant pointed at last, until the next command. */
  pointed: Corners | null;
  /** Null where the page has no light. */
  light: LightRule | null;
  /** What was said of each command, oldest first. */
  scores: readonly Score[];
  /** As the server last had it from this worker. */
  reflection: Reflection | null;
  isStarting: boolean;
  isFinishing: boolean;
  line: { isUp: boolean; attempt: number };
  /** Why the socket stays closed: see CLOSE. */
  closedBy: number | null;
  /** The last event that there was when the server greeted; later ones are news. */
  lastSeq: number;
  /** What the server's clock is ahead of this browser's, in ms. */
  ahead_ms: number;
  /** What was last said aloud to those who do not see the page. */
  aloud: readonly { key: number; text: string }[];
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
    aloud: [],
  };
}

export function reduceLive(live: Live, action: LiveAction): Live {
  switch (action.type) {
    case "welcome":
      return welcomed(live, action.welcome, action.now);
    case "event":
      return heard(live, action.event, action.now);
    case "sent":
      return sent(live, action.message);
    case "refused":
      return refused(live, action.message, action.detail);
    case "line":
      return { ...live, line: { isUp: action.isUp, attempt: action.attempt } };
    case "over":
      if (action.code === CLOSE.ended) return ended(live, live.reason ?? "over");
      return { ...live, closedBy: action.code };
    case "again":
      return { ...live, closedBy: null, line: { isUp: false, attempt: 0 } };
    case "ended":
      return live.phase === "ended" ? live : ended(live, action.reason);
  }
}

const ended = (live: Live, reason: string): Live => ({ ...live, phase: "ended", reason, isFinishing: false, isStarting: false });

function welcomed(live: Live, { state, server_time, last_seq }: Welcome, now: number): Live {
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

/** What was sent shows at once; the log then says the same. */
function sent(live: Live, message: Message): Live {
  switch (message.type) {
    case "start":
      return { ...live, isStarting: true };
    case "finish":
      return { ...live, isFinishing: true };
    case "command":
      return commanded(live, message.body);
    case "stop":
      return live.command?.id === message.body.command ? { ...live, command: { ...live.command, isStopping: true } } : live;
    case "choose":
      return live.ask?.question === message.body.question ? { ...live, ask: { ...live.ask, given: message.body.choice } } : live;
    case "mark":
      return live.question?.node === message.body.node ? { ...live, question: { ...live.question, given: message.body.choice } } : live;
    case "back":
      return live.question ? { ...live, question: { ...live.question, given: BACK } } : live;
    case "reflect":
    case "pose":
    case "place":
    case "destroy":
      return live;
  }
}

/** In the place of a choice: the worker went back, and the question before is on its way. */
export const BACK = -1;

function commanded(live: Live, { id, text }: { id: string; text: string }): Live {
  if (live.talk.some(({ key }) => key === id)) return live;
  const command: Commanded = { id, text, progress: "sending", received_at: null, isUnderstood: false, isStopping: false };
  return { ...live, command, question: null, ask: null, pointed: null, talk: [...live.talk, { key: id, who: "you", text, went: "going" }] };
}

/** It is as if it had not been sent. */
function refused(live: Live, message: Numbered, detail: string): Live {
  switch (message.type) {
    case "start":
      return { ...live, isStarting: false };
    case "finish":
      return said({ ...live, isFinishing: false }, "page", `refused-${message.cseq}`, "This cannot be handed in yet. Please keep going a little.", true);
    case "command": {
      const talk = live.talk.filter(({ key }) => key !== message.body.id);
      const without = { ...live, talk, command: live.command?.id === message.body.id ? null : live.command };
      return said(without, "page", `refused-${message.cseq}`, `“${message.body.text}” was not taken. ${detail}`.trim(), true);
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

function heard(live: Live, event: Event, now: number): Live {
  const isNews = event.seq > live.lastSeq;
  switch (event.type) {
    case "start": {
      const started = { ...live, isStarting: false, phase: "running" as const };
      return live.phase === "before" ? { ...started, clock: { ...live.clock, elapsed_s: 0, at: here(live, event, now) } } : started;
    }
    case "finish":
      return { ...live, isFinishing: true };
    case "command":
      return commanded(live, event.body);
    case "reflect":
      return { ...live, reflection: event.body };
    case "stop":
    case "choose":
    case "mark":
    case "back":
      return sent(live, event);
    case "status":
      return progressed(live, event.body, { by: event.from, at: here(live, event, now), seq: event.seq, isNews });
    case "parse":
      return live.command?.id === event.body.command ? { ...live, command: { ...live.command, isUnderstood: true } } : live;
    case "say":
      return said(live, "assistant", `said-${event.seq}`, event.body.text, isNews);
    case "ask":
      return aloud({ ...live, ask: { ...event.body, given: null } }, event.body.text, isNews, event.seq);
    case "point":
      return { ...live, pointed: event.body.box };
    case "question":
      return aloud({ ...live, question: { ...event.body, given: null } }, event.body.ask, isNews, event.seq);
    case "outcome":
      return judged(live, event.body.command);
    case "score": {
      const after = { ...live, scores: scored(live.scores, event.body) };
      const said = after.scores.find(({ command }) => command === event.body.command);
      return aloud(after, said && live.light ? scoreAloud(said) : "", isNews, event.seq);
    }
    case "prompt":
      return aloud({ ...live, prompt: event.body.text }, event.body.text, isNews, event.seq);
    // The greeting knew these already, as they are now.
    case "clock":
      return isNews ? { ...live, clock: { ...event.body, at: here(live, event, now) } } : live;
    case "may_finish":
      return isNews ? aloud({ ...live, mayFinish: event.body.allowed }, event.body.allowed ? "You may finish now." : "", true, event.seq) : live;
    case "peer":
      return isNews && event.body.who === "agent" ? { ...live, agent: event.body.state } : live;
    case "closed":
      return ended(live, event.body.reason);
    default:
      return live;
  }
}

/** When it happened, by this browser's clock. */
function here(live: Live, { at }: { at: string }, now: number): number {
  const then = Date.parse(at) - live.ahead_ms;
  return Number.isNaN(then) ? now : Math.min(then, now);
}

interface Heard {
  by: string;
  at: number;
  seq: number;
  isNews: boolean;
}

function progressed(live: Live, { command: id, state, reason }: { command: string; state: Progress; reason?: string | null }, { by, at, seq, isNews }: Heard): Live {
  const { command } = live;
  if (!command || command.id !== id) return live;
  const isOver = state === "done" || state === "failed";
  const after: Live = {
    ...live,
    command: { ...command, progress: state, received_at: command.received_at ?? at, isUnderstood: command.isUnderstood || state === "acting" || isOver },
    ...(isOver ? { ask: null } : {}),
  };
  if (!isOver) return aloud(after, PROGRESS_ALOUD[state], isNews, seq);
  const went = state === "done" ? "done" : command.isStopping || reason === "stopped" ? "stopped" : "failed";
  const settled = { ...after, talk: after.talk.map((line) => (line.key === id ? { ...line, went } : line) as Said) };
  if (state === "failed" && by === "server") return said(settled, "page", `failed-${seq}`, "The assistant did not answer any more, so this command was ended.", isNews);
  return aloud(settled, { done: "Done.", stopped: "Stopped.", failed: "It was not done." }[went], isNews, seq);
}

const PROGRESS_ALOUD: Record<"received" | "thinking" | "acting", string> = {
  received: "Command received.",
  thinking: "The assistant is thinking.",
  acting: "The assistant is doing the task.",
};

function judged(live: Live, id: string): Live {
  return { ...live, command: live.command?.id === id ? null : live.command, question: null, ask: null, pointed: null };
}

function said(live: Live, who: Said["who"], key: string, text: string, isNews: boolean): Live {
  if (live.talk.some((line) => line.key === key)) return live;
  const talk = [...live.talk, { key, who, text, went: null }];
  return aloud({ ...live, talk }, who === "assistant" ? `The assistant says: ${text}` : text, isNews, live.talk.length);
}

const MOST_ALOUD = 4;

function aloud(live: Live, text: string, isNews: boolean, seq: number): Live {
  if (!isNews || !text) return live;
  const last = live.aloud.at(-1)?.key ?? 0;
  return { ...live, aloud: [...live.aloud.slice(1 - MOST_ALOUD), { key: Math.max(last + 1, seq), text }] };
}
