/**
 * Values computed from the state of a session: what is allowed now, which status is shown, the time on the clock. Pure.
 */

import type { Live } from "./live";

export const STATUSES = ["sending", "received", "thinking", "acting"] as const;
export type Status = (typeof STATUSES)[number];

/** How long “command received” is shown. */
export const RECEIVED_MS = 500;

/**
 * The status of the current command; null if there is none. Order and timing are from paper 004: the first ends when
 * the assistant has the command, the second after half a second, the third when the command is understood, the fourth
 * when the task is over.
 */
export function statusOf({ command }: Pick<Live, "command">, now: number): Status | null {
  if (!command || isOver(command)) return null;
  if (command.progress === "sending" || command.received_at === null) return "sending";
  if (now - command.received_at < RECEIVED_MS) return "received";
  return command.isUnderstood || command.progress === "acting" ? "acting" : "thinking";
}

/** The time until the status changes without an event, in ms; null if it does not. */
export function statusTurnsIn({ command }: Pick<Live, "command">, now: number): number | null {
  if (!command || isOver(command) || command.received_at === null) return null;
  const left = command.received_at + RECEIVED_MS - now;
  return left > 0 ? left : null;
}

const isOver = ({ progress }: { progress: string }): boolean => progress === "done" || progress === "failed";

export const isAtWork = ({ command, phase }: Pick<Live, "command" | "phase">): boolean =>
  phase === "running" && command !== null && !isOver(command);

/** Why no command can be given now; null if one can. */
export type Hindrance =
  "not_started" | "at_work" | "stopping" | "asked" | "question" | "waits" | "no_agent" | "time_over" | "ended";

export function hindranceOf(live: Live, now: number): Hindrance | null {
  if (live.phase === "ended") return "ended";
  if (live.phase === "before") return "not_started";
  if (isAtWork(live) && live.command?.isStopping) return "stopping";
  if (live.question) return live.question.given === null ? "question" : "waits";
  if (live.ask) return live.ask.given === null ? "asked" : "at_work";
  if (isAtWork(live)) return "at_work";
  // The command is over, and the first question about it is on its way.
  if (live.command) return "waits";
  // In an evaluation all sessions have the same length.
  if (live.isEvaluation && elapsed_s(live, now) >= live.clock.minimum_s) return "time_over";
  return live.agent === "here" ? null : "no_agent";
}

/** Seconds on the clock, by this browser's time. */
export function elapsed_s({ clock, phase }: Pick<Live, "clock" | "phase">, now: number): number {
  return phase === "running" ? clock.elapsed_s + Math.max(0, now - clock.at) / 1000 : clock.elapsed_s;
}

export const mayStop = (live: Live): boolean => isAtWork(live) && !live.command?.isStopping;
