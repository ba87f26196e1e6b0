/** The state of the marker page. Pure: no clock, no network, no player. */

import {
  initialProgress,
  stepProgress,
  taskProgress,
  type WorkProgress,
  type ProgressAction,
  type ProgressNotice,
} from "../../work/progress";
import { clampFrame, frame, type Frame } from "./units";
import type { Outcome } from "./payload";
import { WHOLE, type Zoom } from "./zoom";

export interface Marker {
  at: Frame;
  outcome: Outcome;
}

/** The current task, as far as decisions need it. */
export interface Task {
  assignment: string;
  frames: number;
  first: Frame;
  last: Frame;
  never: Frame;
}

export type Notice =
  | { is: "too_early" }
  | { is: "too_late" }
  | { is: "no_marker" }
  | { is: "moved_on" }
  | { is: "not_ready" }
  | { is: "no_change" }
  | { is: "broken" }
  | ProgressNotice;

export interface MarkerState extends WorkProgress<Notice> {
  task: Task | null;
  position: Frame;
  /** The picture of exactly `position` is painted. */
  exact: boolean;
  video: "loading" | "ready" | "broken";
  /** 0 is stopped, negative plays backwards. */
  rate: number;
  /** The speed of Play. */
  speed: number;
  zoom: Zoom;
  marker: Marker | null;
  /** A marker key was pressed before the exact picture was painted; the marker is placed when it is. */
  asked: { at: Frame; outcome: Outcome; thenSubmit: boolean } | null;
  /** Submit was pressed and there is a marker: the session sends it. */
  submitting: boolean;
}

export type Action =
  | { type: "task"; task: Task; position: number; marker: Marker | null; lease_ends: number }
  | { type: "moved"; to: Frame }
  | { type: "shown"; at: Frame }
  | { type: "pending" }
  | { type: "video"; is: MarkerState["video"] }
  | { type: "rate"; rate: number }
  | { type: "speed"; speed: number }
  | { type: "zoom"; zoom: Zoom }
  | { type: "place"; outcome: Outcome }
  | { type: "never" }
  | { type: "clear" }
  | { type: "submit" }
  | ProgressAction<Notice>;

export function initialState(keysOn: boolean): MarkerState {
  return {
    ...initialProgress(keysOn),
    task: null,
    position: frame(0),
    exact: false,
    video: "loading",
    rate: 0,
    speed: 1,
    zoom: WHOLE,
    marker: null,
    asked: null,
    submitting: false,
  };
}

/** The next state after an action. An episode has one marker: placing again moves it. */
export function reduce(state: MarkerState, action: Action): MarkerState {
  switch (action.type) {
    case "task":
      return {
        ...state,
        ...taskProgress(state, action.lease_ends),
        task: action.task,
        position: clampFrame(action.position, 0, action.task.frames - 1),
        marker: action.marker && fits(action.task, action.marker.at) ? action.marker : null,
        exact: false,
        video: "loading",
        rate: 0,
        zoom: WHOLE,
        asked: null,
        submitting: false,
      };
    case "screen":
      return { ...state, ...stepProgress(action), submitting: false, asked: null, rate: 0 };
    case "moved":
      if (action.to === state.position) return state;
      return {
        ...state,
        position: action.to,
        exact: false,
        ...(state.asked && state.asked.at !== action.to
          ? { asked: null, notice: { is: "moved_on" } as const }
          : moveNotice(state)),
      };
    case "shown":
      return shown(state, action.at);
    case "pending":
      return state.exact ? { ...state, exact: false } : state;
    case "video":
      return { ...state, video: action.is };
    case "rate":
      return action.rate === state.rate ? state : { ...state, rate: action.rate };
    case "speed":
      return { ...state, speed: action.speed };
    case "zoom":
      return { ...state, zoom: action.zoom };
    case "place":
      return place(state, action.outcome);
    case "never":
      if (!mayMark(state) || !state.task) return state;
      if (state.video !== "ready") return { ...state, notice: unready(state) };
      return { ...state, marker: { at: state.task.never, outcome: "failure" }, asked: null, notice: null };
    case "clear":
      if (!mayMark(state) || (!state.marker && !state.asked)) return state;
      return { ...state, marker: null, asked: null, notice: null };
    case "submit":
      if (!mayMark(state)) return state;
      if (state.asked) return { ...state, asked: { ...state.asked, thenSubmit: true } };
      if (!state.marker) return { ...state, notice: { is: "no_marker" } };
      return { ...state, submitting: true, notice: null };
    case "sending":
      return { ...state, ...stepProgress(action), submitting: action.sending.is === "idle" ? false : state.submitting };
    default:
      return { ...state, ...stepProgress(action) };
  }
}

/** An answer that is being sent cannot be changed. */
export function mayMark(state: MarkerState): boolean {
  return state.screen.is === "judging" && state.task !== null && !state.submitting && state.sending.is === "idle";
}

/** A notice about the position disappears when the position changes. */
function moveNotice(state: MarkerState): { notice?: null } {
  const passing = [
    "too_early",
    "too_late",
    "no_marker",
    "moved_on",
    "not_ready",
    "no_change",
    "broken",
    "elsewhere",
    "not_corrected",
  ];
  return state.notice && passing.includes(state.notice.is) ? { notice: null } : {};
}

function fits(task: Task, at: Frame): boolean {
  return (at >= task.first && at <= task.last) || at === task.never;
}

function place(state: MarkerState, outcome: Outcome): MarkerState {
  if (!mayMark(state) || !state.task) return state;
  if (state.video !== "ready") return { ...state, notice: unready(state) };
  const at = state.position;
  if (at < state.task.first) return { ...state, notice: { is: "too_early" } };
  if (at > state.task.last) return { ...state, notice: { is: "too_late" } };
  // The worker judges the exact picture, never a preview, so wait for it.
  if (!state.exact) return { ...state, asked: { at, outcome, thenSubmit: false }, notice: null };
  return { ...state, marker: { at, outcome }, asked: null, notice: null };
}

function unready(state: MarkerState): Notice {
  return { is: state.video === "broken" ? "broken" : "not_ready" };
}

function shown(state: MarkerState, at: Frame): MarkerState {
  if (at !== state.position) return state;
  if (!state.asked || state.asked.at !== at) return state.exact ? state : { ...state, exact: true };
  const { outcome, thenSubmit } = state.asked;
  return { ...state, exact: true, marker: { at, outcome }, asked: null, submitting: thenSubmit };
}
