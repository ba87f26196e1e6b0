/** The sentences of the page, in the worker's terms: what happened and what to do next. */

import nouns from "@lib/task_nouns.json";
import { progressWords, screenWords as anyScreenWords, type ScreenWords, type TaskNoun } from "../../work/texts";
import type { Screen } from "../../work/progress";
import type { ReportTexts } from "../../work/view/dialogs";
import { exactTime } from "./units";
import type { FrameTable } from "./frames";
import type { Outcome } from "./payload";
import type { MarkerState, Notice, Task } from "./state";

export const TASK_NOUN: TaskNoun = nouns.marker;
export const REPORT: ReportTexts = {
  ask: "What is wrong with this video?",
  problems: [
    ["video_broken", "The video does not play or is damaged"],
    ["instruction_unclear", "I do not understand what was asked"],
    ["ambiguous", "It could be judged either way"],
    ["other", "Something else"],
  ],
  after: "You then go on with the next video, and this one does not come back to you.",
};
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
    case "no_change":
      return "Nothing more changes that way.";
    case "broken":
      return "This video does not play here, so it cannot be judged. Try it again, or report it and go on.";
    case "refused_answer":
      return progressWords({ ...notice, detail: notice.detail || "please check the marker." }, TASK_NOUN);
    case "try_again":
    case "elsewhere":
    case "looking_again":
    case "not_corrected":
    case "connecting":
      return progressWords(notice, TASK_NOUN);
  }
}

/** The text of the page that is shown when there is no task. */
export function screenWords(screen: Screen, earned: string | null): ScreenWords {
  return anyScreenWords(screen, earned, TASK_NOUN);
}
