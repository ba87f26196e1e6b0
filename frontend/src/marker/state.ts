/** What the marker page decides. Pure: no clock, no network, no player. */

import { initialCourse, stepCourse, taskCourse, type Course, type CourseAction, type CourseNotice } from "../shared/course";
import { clampFrame, frame, type Frame } from "../shared/units";
import type { Outcome } from "./payload";

export interface Marker {
  at: Frame;
  outcome: Outcome;
}

/** The task at hand, as far as deciding needs it. */
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
  | { is: "broken" }
  | CourseNotice;

export interface MarkerState extends Course<Notice> {
  task: Task | null;
  position: Frame;
  /** Exactly `position` is painted. */
  exact: boolean;
  video: "loading" | "ready" | "broken";
  /** 0 stands still, negative runs back. */
  rate: number;
  /** How fast Play plays. */
  speed: number;
  marker: Marker | null;
  /** A marker key was pressed before the exact picture was there; it is placed when it comes. */
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
  | { type: "place"; outcome: Outcome }
  | { type: "never" }
  | { type: "clear" }
  | { type: "submit" }
  | CourseAction<Notice>;

export function initialState(keysOn: boolean): MarkerState {
  return {
    ...initialCourse(keysOn),
    task: null,
    position: frame(0),
    exact: false,
    video: "loading",
    rate: 0,
    speed: 1,
    marker: null,
    asked: null,
    submitting: false,
  };
}

/** Next state after one action. An episode holds one marker: placing again moves it. */
export function reduce(state: MarkerState, action: Action): MarkerState {
  switch (action.type) {
    case "task":
      return {
        ...state,
        ...taskCourse(state, action.lease_ends),
        task: action.task,
        position: clampFrame(action.position, 0, action.task.frames - 1),
        marker: action.marker && fits(action.task, action.marker.at) ? action.marker : null,
        exact: false,
        video: "loading",
        rate: 0,
        asked: null,
        submitting: false,
      };
    case "screen":
      return { ...state, ...stepCourse(action), submitting: false, asked: null, rate: 0 };
    case "moved":
      if (action.to === state.position) return state;
      return {
        ...state,
        position: action.to,
        exact: false,
        ...(state.asked && state.asked.at !== action.to ? { asked: null, notice: { is: "moved_on" } as const } : moveNotice(state)),
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
      return { ...state, ...stepCourse(action), submitting: action.sending.is === "idle" ? false : state.submitting };
    default:
      return { ...state, ...stepCourse(action) };
  }
}

/** An answer on its way can no longer be changed. */
export function mayMark(state: MarkerState): boolean {
  return state.screen.is === "judging" && state.task !== null && !state.submitting && state.sending.is === "idle";
}

/** A remark about where one stands goes when one moves on. */
function moveNotice(state: MarkerState): { notice?: null } {
  const passing = ["too_early", "too_late", "no_marker", "moved_on", "not_ready", "broken", "elsewhere"];
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
  // What the worker judged is the exact picture, never a preview: wait for it.
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
