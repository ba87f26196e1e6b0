/** What the server tells of a task under review (its twin is `annotation/review/side_by_side.py`). */

import type { Outcome, Payload } from "../marker/payload";

/** A kept answer; a tie has no outcome, and what names no moment no frame. */
export interface Kept {
  outcome: Outcome | null;
  frame?: number | null;
  time_s?: number | null;
}

export interface Found {
  id: number;
  category: number;
  taxonomy: string;
  label: string;
  note: string;
}

export interface Record {
  balanced_accuracy: number | null;
  low: number | null;
  high: number | null;
  references: number;
  submitted: number;
}

export interface Said {
  /** Its key: 1 for the first. */
  number: number;
  id: string;
  name: string;
  page: string;
  is_simulated: boolean;
  weighting: "full" | "reduced" | "none";
  record: Record | null;
  answer: Kept;
  score: number | null;
  took_s: number;
  at: string;
  is_standing: boolean;
  findings: Found[];
}

export interface Decided {
  id: number;
  answer: Kept;
  reason: string;
  by: string;
  second: string | null;
  at: string;
  is_mine: boolean;
}

export interface Report {
  name: string;
  page: string;
  problem: string;
  text: string;
  at: string | null;
  is_seen: boolean;
}

export interface Category {
  id: number;
  taxonomy: "human_error" | "agent_failure";
  group: string;
  label: string;
  description: string;
}

export interface ReviewData {
  task: { key: string; status: "open" | "done" | "unjudgeable"; wanted: number; is_reference: boolean; project: string };
  payload: Payload;
  may_decide: boolean;
  two_persons: boolean;
  /** Addresses: where to post, and where to go. */
  decide: string;
  tags: string;
  next: string;
  queue: string;
  answers: Said[];
  consensus: { answer: Kept; confidence: number; method: string; annotations: number; is_settled: boolean; needs_review: boolean } | null;
  truths: Kept[];
  tolerance_s: number | null;
  reports: Report[];
  proposed: Decided | null;
  standing: Decided | null;
  findings: Found[];
  categories: Category[];
}
