/** The sentences of the page, in the worker's terms. */

import nouns from "@lib/task_nouns.json";
import { progressWords, sendingWords, type TaskNoun } from "../../work/texts";
import type { ReportTexts } from "../../work/view/dialogs";
import { contains, type Cell } from "../../world/frame";
import { countsOf, nameOf } from "./marking/groups";
import { isMarked, outOfSight, shownMarks, type Marking, type Remark } from "./marking/marking";
import { isInSight } from "./marking/selection";
import type { Doubt } from "./names";
import type { Notice, VoxelState } from "./state";
import type { Tool } from "./marking/tools";

export const TASK_NOUN: TaskNoun = nouns.voxels;

export const REPORT: ReportTexts = {
  ask: "What is wrong with this scene?",
  problems: [
    ["instruction_unclear", "I do not understand what is asked"],
    ["ambiguous", "It could mean more than one thing"],
    ["other", "Something else"],
  ],
  after: "You then go on with the next scene, and this one does not come back to you.",
};

export const TOOL_WORDS: Record<Tool, { label: string; hint: string }> = {
  one: { label: "One block", hint: "takes the one block that you press" },
  box: { label: "Box", hint: "takes all between two corners: draw it, or press twice" },
  same: { label: "Same colour", hint: "takes the block and all of its kind that touch it" },
  whole: {
    label: "Whole thing",
    hint: "takes all that hangs together, of any colour, but not the ground; once more: what touches it too",
  },
  brush: { label: "Brush", hint: "takes what you draw over" },
};

/** The sentence about the current tool, with blocks or with air. */
export function toolHint({ tool, target }: Pick<Marking, "tool" | "target">): string {
  const { label, hint } = TOOL_WORDS[tool];
  const fills = target === "air" && (tool === "same" || tool === "whole");
  return target === "blocks"
    ? `${label}: ${hint}.`
    : fills
      ? "Air: fills the hole or doorway that you press into."
      : `Air, ${label.toLowerCase()}: takes only what is empty, in front of what you press.`;
}

const REMARKS: Record<Remark, string> = {
  outside: "That is outside of the scene.",
  not_a_block: "There is no block here. To mark air, choose Air.",
  not_air: "There is a block here. To mark blocks, choose Blocks.",
  out_of_sight: "That is cut away or hidden. Show it first.",
  is_ground: "That is the ground. Take it with another tool, if it is meant.",
  open_air: "That is open air: it has no edge. Use the box.",
  too_many: "That is too much at once. Draw a smaller box.",
  too_many_marks: "That would be more than can be marked. Unmark something first.",
  nothing_to_undo: "Nothing to undo.",
  nothing_to_redo: "Nothing to redo.",
  nothing_to_clear: "Nothing is marked.",
  larger_offered: "Press it once more to take what touches it as well.",
  larger_taken: "Taken with what touches it. Undo takes that back.",
  corner_set: "First corner set. Now the opposite one; Esc drops it.",
  marks_kept: "Your marks are put away. Press “It is not there” once more to have them back.",
  marks_back: "Your earlier marks are back.",
};

export const remarkWords = (remark: Remark | null): string => (remark ? REMARKS[remark] : "");

export function noticeWords(notice: Notice): string {
  switch (notice.is) {
    case "nothing_said":
      return "Mark it first; if it is not there, press “It is not there”.";
    case "doubtful_name":
      return doubtWords(notice.doubt);
    case "no_phrase":
      return "Name one thing first; if there is nothing, press “There is nothing here”.";
    default:
      return progressWords(notice, TASK_NOUN);
  }
}

/** The line of remarks; the state of sending comes first. */
export function lineOf(state: Pick<VoxelState, "sending" | "notice" | "marking" | "isNothing">): string {
  const waits = sendingWords(state.sending);
  if (waits) return waits;
  if (state.notice) return noticeWords(state.notice);
  return state.isNothing
    ? "You say: there is nothing here. Press Done to hand it in."
    : remarkWords(state.marking?.remark ?? null);
}

function doubtWords(doubt: Doubt): string {
  return doubt.is === "no_word"
    ? "That does not read like a name. If it is one, press Done again."
    : `We see nothing ${doubt.word} in this scene. If you do, press Done again.`;
}

const many = (count: number, word: string): string => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

/** `12 blocks, 2 of air marked`. */
export function countWords(marking: Marking): string {
  if (marking.isAbsent) return "You say: it is not there.";
  const { blocks, air } = countsOf(marking.grid, shownMarks(marking));
  if (blocks + air === 0) return "Nothing marked yet";
  if (blocks === 0) return `${air.toLocaleString("en")} of air marked`;
  return air
    ? `${many(blocks, "block")}, ${air.toLocaleString("en")} of air marked`
    : `${many(blocks, "block")} marked`;
}

/** How many submitted marks are not visible now; "" if none. */
export function unseenWords(marking: Marking): string {
  const unseen = outOfSight(marking);
  return unseen ? `${unseen.toLocaleString("en")} of them cut away or hidden now, but marked.` : "";
}

/** `red wool · x 4, y 2, z 7`. */
export function cellWords(marking: Marking, cell: Cell): string {
  const [x, y, z] = cell;
  const place = `x ${x}, y ${y}, z ${z}`;
  if (!contains(marking.grid.size, x, y, z)) return "outside of the scene";
  const what = isInSight(marking, cell) ? nameOf(marking.grid.get(x, y, z)) : "hidden";
  return `${what} · ${place}${isMarked(marking, cell) ? " · marked" : ""}`;
}

/** The text for screen readers about the cursor. */
export function cursorWords(marking: Marking): string {
  const words = cellWords(marking, marking.cursor);
  if (marking.isLooking) return words;
  return `${words}${isMarked(marking, marking.cursor) ? "" : " · not marked"}. ${countWords(marking)}.`.replace(
    "..",
    ".",
  );
}
