/** The sentences of the page, in the worker's terms: what happened and what to do next. */

import { exactTime, timeOfDay } from "../shared/words";
import type { FrameTable } from "./frames";
import type { Outcome } from "./payload";
import type { MarkerState, Notice, Screen, Task } from "./state";

export const SIGN: Record<Outcome, string> = { success: "✓", failure: "✕" };

export function markerWords(state: MarkerState, table: FrameTable): string {
  const { marker, task } = state;
  if (!marker) return "No marker yet";
  const never = marker.outcome === "failure" && marker.at === task?.never;
  return `${never ? "never did it, failure" : marker.outcome} at ${exactTime(table.start(marker.at))}`;
}

export function noticeWords(notice: Notice, task: Task | null, table: FrameTable | null): string {
  const time = (which: "first" | "last"): string => (task && table ? exactTime(table.start(task[which])) : "");
  switch (notice.is) {
    case "too_early":
      return `The agent only takes over at ${time("first")}. Mark that moment or a later one; the key [ goes there.`;
    case "too_late":
      return `The time was up at ${time("last")}. Mark that moment or an earlier one; if it was not done by then, use “Never did it”.`;
    case "no_marker":
      return "There is no marker yet. Go to the moment and press Success here or Failure here.";
    case "moved_on":
      return "You moved on before the exact picture was there, so nothing was marked. Press again when you are there.";
    case "not_ready":
      return "The video is still loading. You can mark as soon as the picture is there.";
    case "broken":
      return "This video does not play here, so it cannot be judged. Try it again, or report it and go on.";
    case "refused_answer":
      return `This answer was not accepted: ${notice.detail || "please check the marker."}`;
    case "elsewhere":
      return "You had answered the last video in another tab already. Here is the next one.";
    case "connecting":
      return notice.why === "offline" ? "No connection. Trying again until you are back." : `The server does not answer yet. Trying again (${notice.attempt}).`;
  }
}

export function sendingWords(state: MarkerState): string {
  const { sending } = state;
  if (sending.is === "waiting" && sending.why === "offline") return "No connection. Your answer is kept here and will be sent when you are back.";
  if (sending.is === "waiting") return `The server does not answer. Your answer is kept here; trying again (${sending.attempt}).`;
  return "";
}

export interface ScreenWords {
  title: string;
  text: string;
  /** What the one button does. */
  action: { label: string; does: "again" | "new" | "instructions" | "report" } | null;
}

/** What to say when there is nothing to judge; `said` is the server's own sentence where it knows more than we do. */
export function screenWords(screen: Screen, earned: string | null): ScreenWords {
  switch (screen.is) {
    case "starting":
    case "judging":
      return { title: "", text: "", action: null };
    case "finished":
      return {
        title: "That was the last one for now.",
        text: `${earned ? `You earned ${earned}. ` : ""}You can close this page.`,
        action: { label: "Look for more", does: "again" },
      };
    case "lost":
      return {
        title: "Your time for this video is over.",
        text: `Your time for this video ended at ${timeOfDay(new Date(screen.endedAt))}, so someone else may have it now. Your answer is below if you want to copy it. Take a new one?`,
        action: { label: "Take a new one", does: "new" },
      };
    case "refused":
      return refusal(screen.code, screen.detail);
  }
}

const AGAIN = { label: "Try again", does: "again" } as const;

function refusal(code: string, said: string): ScreenWords {
  switch (code) {
    case "worker_blocked":
      return { title: "You cannot work on this project any more.", text: said || "You are paid for what you did. If you think this is a mistake, please write to us.", action: null };
    case "paused":
      return {
        title: "We paused your work on this project.",
        text: said || "Some of your last check tasks did not match. You are paid for what you did. Please read the instructions again, or ask us to look again.",
        action: { label: "Read the instructions again", does: "instructions" },
      };
    case "consent_required":
      return { title: "First, your consent.", text: "Please read what this work is about and say whether you agree. Then the videos follow.", action: { label: "Go to the information page", does: "again" } };
    case "qualification_required":
      return { title: "First, a few questions.", text: "This work needs a short quiz first. Then the videos follow.", action: { label: "Go to the quiz", does: "again" } };
    case "project_not_live":
      return { title: "This project takes no work at the moment.", text: "What you did is kept and paid. Please come back later.", action: AGAIN };
    case "limit_reached":
      return { title: "You have done all that one person may do here.", text: "Thank you. What you did is kept and paid. You can close this page.", action: null };
    case "budget_spent":
      return { title: "There is no more work in this project.", text: "Its budget is used up. What you did is kept and paid. You can close this page.", action: null };
    case "bad_video":
      return { title: "This video cannot be shown.", text: "Its description does not fit. Please report it; the next one follows.", action: { label: "Report it and go on", does: "report" } };
    case "bad_link":
      return { title: "Your link no longer works.", text: "Please open the page again from where you got the link, or ask for a new one. What you did is kept.", action: null };
    default:
      return { title: "This did not work.", text: said || "The server refused without saying why. Please try again in a moment.", action: AGAIN };
  }
}
