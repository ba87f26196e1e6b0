/** The state of the voxel page. Pure: no clock, no network. */

import {
  initialProgress,
  stepProgress,
  taskProgress,
  type WorkProgress,
  type ProgressAction,
  type ProgressNotice,
} from "../../work/progress";
import { cellOf } from "../../world/frame";
import { begin, reduceMarking, shownMarks, type Before, type MarkAction, type Marking } from "./marking/marking";
import { doubtAbout, type Doubt } from "./names";
import type { Answer, Payload } from "./payload";
import type { Tool } from "./marking/tools";
import { sorted } from "./marking/runs";

export type Notice =
  { is: "nothing_said" } | { is: "no_phrase" } | { is: "doubtful_name"; doubt: Doubt } | ProgressNotice;

export interface Task {
  assignment: string;
  payload: Payload;
}

export interface VoxelState extends WorkProgress<Notice> {
  task: Task | null;
  /** The marking of the current task. */
  marking: Marking | null;
  /** The text, where a phrase is asked for. */
  text: string;
  /** "There is nothing here": the text is kept, but not shown and not submitted. */
  isNothing: boolean;
  /** The worker was asked once whether the name is meant; never again for this scene. */
  wasAsked: boolean;
  /** The tool of earlier tasks; null before the worker has chosen one. */
  chosen: Tool | null;
  /** Set when the worker is done: the session sends it. */
  outgoing: Answer | null;
}

export type Action =
  | { type: "task"; task: Task; before: Before; text: string; isNothing?: boolean; lease_ends: number }
  | { type: "mark"; action: MarkAction }
  /** The tool of an earlier visit. */
  | { type: "choose"; tool: Tool }
  | { type: "write"; text: string }
  | { type: "nothing" }
  | { type: "done" }
  | ProgressAction<Notice>;

export const LONGEST_PHRASE = 200;

export function initialState(keysOn: boolean): VoxelState {
  return {
    ...initialProgress(keysOn),
    task: null,
    marking: null,
    text: "",
    isNothing: false,
    wasAsked: false,
    chosen: null,
    outgoing: null,
  };
}

/** Whether the scene is to be named, not marked. */
export const isNaming = (payload: Payload): boolean => payload.phrase === undefined;

export function mayAnswer(state: VoxelState): boolean {
  return state.screen.is === "judging" && state.task !== null && state.outgoing === null && state.sending.is === "idle";
}

/** The answer; null if there is none yet. */
export function answerOf({
  task,
  marking,
  text,
  isNothing,
}: Pick<VoxelState, "task" | "marking" | "text" | "isNothing">): Answer | null {
  if (!task || !marking) return null;
  if (isNaming(task.payload)) {
    if (isNothing) return { nothing: true };
    const phrase = text.trim();
    return phrase ? { phrase } : null;
  }
  if (marking.isAbsent) return { absent: true };
  const shown = shownMarks(marking);
  // Flat indices are ordered by x, then y, then z.
  return shown.size ? { voxels: sorted(shown).map((index) => cellOf(marking.grid.size, index)) } : null;
}

/** Actions that only change the view: they are possible while an answer is being sent. */
const LOOKS: readonly MarkAction["type"][] = ["camera", "aim", "cursor", "cut", "ground", "thing"];

/** Next state after one action. */
export function reduce(state: VoxelState, action: Action): VoxelState {
  switch (action.type) {
    case "task":
      return {
        ...state,
        ...taskProgress(state, action.lease_ends),
        task: action.task,
        marking: begin(action.task.payload.scene, withTool(action.before, state.chosen), isNaming(action.task.payload)),
        wasAsked: false,
        text: action.text,
        isNothing: action.isNothing ?? false,
        outgoing: null,
      };
    case "mark":
      return mark(state, action.action);
    case "choose":
      return { ...state, chosen: action.tool };
    case "write":
      return mayAnswer(state) ? { ...state, text: action.text, isNothing: false, notice: null } : state;
    case "nothing":
      return mayAnswer(state) && state.task && isNaming(state.task.payload)
        ? { ...state, isNothing: !state.isNothing, notice: null }
        : state;
    case "done": {
      if (!mayAnswer(state) || !state.task) return state;
      const answer = answerOf(state);
      const doubt =
        answer && "phrase" in answer && state.marking && !state.wasAsked
          ? doubtAbout(answer.phrase, state.marking.grid)
          : null;
      if (doubt) return { ...state, wasAsked: true, notice: { is: "doubtful_name", doubt } };
      return answer
        ? send(state, answer)
        : { ...state, notice: { is: isNaming(state.task.payload) ? "no_phrase" : "nothing_said" } };
    }
    case "screen":
      return { ...state, ...stepProgress(action), outgoing: null };
    case "sending":
      return { ...state, ...stepProgress(action), outgoing: action.sending.is === "idle" ? null : state.outgoing };
    default:
      return { ...state, ...stepProgress(action) };
  }
}

/** A scene begins with the tool of its draft, otherwise with the one that the worker chose last. */
function withTool(before: Before, chosen: Tool | null): Before {
  return chosen && !before.tool ? { ...before, tool: chosen } : before;
}

function send(state: VoxelState, outgoing: Answer): VoxelState {
  return { ...state, outgoing, notice: null };
}

function mark(state: VoxelState, action: MarkAction): VoxelState {
  if (!state.marking) return state;
  const isLook = LOOKS.includes(action.type);
  if (!isLook && !mayAnswer(state)) return state;
  const marking = reduceMarking(state.marking, action);
  if (marking === state.marking) return state;
  const chosen = action.type === "tool" ? action.tool : action.type === "brush" ? "brush" : state.chosen;
  return { ...state, marking, chosen, notice: isLook ? state.notice : null };
}
