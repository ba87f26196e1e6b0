/** The sentences that all tools share: what happened and what to do next. */

import type { ProgressNotice, Screen, Sending } from "./progress";
import { timeOfDay } from "./formats";

/** The worker's word for a task: “this video”, “then the videos follow”. */
export interface TaskNoun {
  one: string;
  many: string;
}

export function progressWords(notice: ProgressNotice, noun: TaskNoun): string {
  switch (notice.is) {
    case "refused_answer":
      return `This answer was not accepted: ${notice.detail || "please check it."}`;
    case "try_again":
      return `Not yet. ${notice.detail}`;
    case "elsewhere":
      return `You had answered the last ${noun.one} in another tab already. Here is the next one.`;
    case "looking_again":
      return `This is your last ${noun.one} again, with your answer. Change it and submit, or leave it as it was.`;
    case "not_corrected":
      return `Your last answer stays as it was. ${notice.detail}`;
    case "connecting":
      return notice.why === "offline"
        ? "No connection. Trying again until you are back."
        : `The server does not answer yet. Trying again (${notice.attempt}).`;
  }
}

export function sendingWords(sending: Sending): string {
  if (sending.is !== "waiting") return "";
  if (sending.why === "offline") return "No connection. Your answer is kept here and will be sent when you are back.";
  return `The server does not answer. Your answer is kept here; trying again (${sending.attempt}).`;
}

export interface ScreenWords {
  title: string;
  text: string;
  /** The effect of the one button. */
  action: { label: string; does: "again" | "new" | "instructions" | "report" } | null;
}

/** The text of the page without a task; `said` is the server's own sentence. */
export function screenWords(screen: Screen, earned: string | null, noun: TaskNoun): ScreenWords {
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
        title: `Your time for this ${noun.one} is over.`,
        text: `Your time for this ${noun.one} ended at ${timeOfDay(new Date(screen.endedAt))}, so someone else may have it now. Your answer is below if you want to copy it. Take a new one?`,
        action: { label: "Take a new one", does: "new" },
      };
    case "refused":
      return refusal(screen.code, screen.detail, noun);
  }
}

const AGAIN = { label: "Try again", does: "again" } as const;

function refusal(code: string, said: string, noun: TaskNoun): ScreenWords {
  switch (code) {
    case "worker_blocked":
      return {
        title: "You cannot work on this project any more.",
        text: said || "You are paid for what you did. If you think this is a mistake, please write to us.",
        action: null,
      };
    case "paused":
      return {
        title: "We paused your work on this project.",
        text:
          said ||
          "Some of your last check tasks did not match. You are paid for what you did. Please read the instructions again, or ask us to look again.",
        action: { label: "Read the instructions again", does: "instructions" },
      };
    case "consent_required":
      return {
        title: "First, your consent.",
        text: `Please read what this work is about and say whether you agree. Then the ${noun.many} follow.`,
        action: { label: "Go to the information page", does: "again" },
      };
    case "qualification_required":
      return {
        title: "First, a few questions.",
        text: `This work needs a short quiz first. Then the ${noun.many} follow.`,
        action: { label: "Go to the quiz", does: "again" },
      };
    case "project_not_live":
      return {
        title: "This project takes no work at the moment.",
        text: "What you did is kept and paid. Please come back later.",
        action: AGAIN,
      };
    case "limit_reached":
      return {
        title: "You have done all that one person may do here.",
        text: "Thank you. What you did is kept and paid. You can close this page.",
        action: null,
      };
    case "budget_spent":
      return {
        title: "There is no more work in this project.",
        text: "Its budget is used up. What you did is kept and paid. You can close this page.",
        action: null,
      };
    case "too_many_returns":
      return {
        title: "There is a short pause.",
        text:
          said ||
          "Within the last hour you gave back many tasks. New ones come after a while. What you did is kept and paid.",
        action: AGAIN,
      };
    case "bad_video":
      return {
        title: "This video cannot be shown.",
        text: "Its description does not fit. Please report it; the next one follows.",
        action: { label: "Report it and go on", does: "report" },
      };
    case "bad_link":
      return {
        title: "Your link no longer works.",
        text: "Please open the page again from where you got the link, or ask for a new one. What you did is kept.",
        action: null,
      };
    default:
      return {
        title: "This did not work.",
        text: said || "The server refused without saying why. Please try again in a moment.",
        action: AGAIN,
      };
  }
}
