/** What follows from how a session stands: what may be done now, which status shows, how late it is. Pure. */

import type { Live } from "./live";

export const STATUSES = ["sending", "received", "thinking", "acting"] as const;
export type Status = (typeof STATUSES)[number];

/** So long “command received” stays. */
export const RECEIVED_MS = 500;

/**
 * The status of the command under way, null where there is none. The order and what clears each are paper 004's: the
 * first goes when the assistant has the command, the second after half a second, the third once it is understood, the
 * fourth when the task is over.
 */
export function statusOf({ command }: Pick<Live, "command">, now: number): Status | null {
  if (!command || isOver(command)) return null;
  if (command.progress === "sending" || command.received_at === null) return "sending";
  if (now - command.received_at < RECEIVED_MS) return "received";
  return command.isUnderstood || command.progress === "acting" ? "acting" : "thinking";
}

/** When the status goes on by itself, in ms from now; null where it does not. */
export function statusTurnsIn({ command }: Pick<Live, "command">, now: number): number | null {
  if (!command || isOver(command) || command.received_at === null) return null;
  const left = command.received_at + RECEIVED_MS - now;
  return left > 0 ? left : null;
}

const isOver = ({ progress }: { progress: string }): boolean => progress === "done" || progress === "failed";

export const isAtWork = ({ command, phase }: Pick<Live, "command" | "phase">): boolean => phase === "running" && command !== null && !isOver(command);

/** Why no command can be given now; null where one can. */
export type Hindrance = "not_started" | "at_work" | "stopping" | "asked" | "question" | "waits" | "no_agent" | "time_over" | "ended";

export function hindranceOf(live: Live, now: number): Hindrance | null {
  if (live.phase === "ended") return "ended";
  if (live.phase === "before") return "not_started";
  if (isAtWork(live) && live.command?.isStopping) return "stopping";
  if (live.question) return live.question.given === null ? "question" : "waits";
  if (live.ask) return live.ask.given === null ? "asked" : "at_work";
  if (isAtWork(live)) return "at_work";
  // Over, and the first question is on its way.
  if (live.command) return "waits";
  // Where agents are measured, all sessions are of one length.
  if (live.isEvaluation && elapsed_s(live, now) >= live.clock.minimum_s) return "time_over";
  return live.agent === "here" ? null : "no_agent";
}

/** Seconds on the clock, by this browser's time. */
export function elapsed_s({ clock, phase }: Pick<Live, "clock" | "phase">, now: number): number {
  return phase === "running" ? clock.elapsed_s + Math.max(0, now - clock.at) / 1000 : clock.elapsed_s;
}

export const mayStop = (live: Live): boolean => isAtWork(live) && !live.command?.isStopping;
