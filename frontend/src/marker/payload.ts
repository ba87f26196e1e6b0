/** What the server hands over for one episode (CONTRACT section 5, with the parts that the player needs). */

import type { Schemas } from "../shared/schemas";
import type { TableData } from "./frames";

export type Outcome = "success" | "failure";

export interface FilmstripData {
  urls: string[];
  /** A thumb for every n-th frame. */
  every: number;
  columns: number;
  rows: number;
  /** Of one thumb, in pixels. */
  width: number;
  height: number;
}

export interface VideoData {
  url: string;
  poster_url: string | null;
  frames: number;
  duration_s: number;
  width: number;
  height: number;
  table: TableData;
  filmstrip: FilmstripData | null;
}

export interface Line {
  at_s: number;
  speaker: string;
  text: string;
}

export interface Payload {
  instruction: string;
  criteria: string;
  takeover_s: number;
  deadline_s: number;
  transcript: Line[];
  /** Frames between which a marker is accepted, both included; `never` stands for "never did it". */
  markable: { first: number; last: number; never: number };
  video: VideoData;
}

export interface Answer {
  outcome: Outcome;
  frame: number;
}

/** What autosave keeps: our own shape, the server stores it as it is. */
export interface Draft {
  outcome: Outcome | null;
  frame: number | null;
  position: number;
  active_s: number;
  saved_at: string;
}

/** An assignment as the API gives it, with what the marker's server side puts into it. */
export type Claim = Omit<Schemas["AssignmentAnswer"], "payload" | "draft"> & {
  payload: Payload;
  draft: Partial<Draft> | null;
};
