/** Data from the server for one episode (CONTRACT section 5, and what the player needs). */

import type { ClaimOf } from "../../work/api";
import type { TableData } from "./frames";

export type Outcome = "success" | "failure";

export interface FilmstripData {
  urls: string[];
  /** A thumbnail for every n-th frame. */
  every: number;
  columns: number;
  rows: number;
  /** The size of one thumbnail, in pixels. */
  width: number;
  height: number;
}

/** How much the picture changes: see `lib/video/activity.py`. */
export interface ActivityData {
  /** The largest change in each of equal parts of the video, 0 to 255. */
  band: number[];
  /** The frames at which something begins to change. */
  moments: number[];
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
  /** Null for a video that was prepared before it was measured. */
  activity?: ActivityData | null;
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
  /** A marker is accepted from `first` to `last`, both included; `never` stands for "never did it". */
  markable: { first: number; last: number; never: number };
  video: VideoData;
}

export interface Answer {
  outcome: Outcome;
  frame: number;
}

/** The content of a draft. The server stores it as it is. */
export interface Draft {
  outcome: Outcome | null;
  frame: number | null;
  position: number;
  active_s: number;
  saved_at: string;
}

/** An assignment as the API gives it, with the payload of the marker. */
export type Claim = ClaimOf<Payload, Partial<Draft> | null>;
