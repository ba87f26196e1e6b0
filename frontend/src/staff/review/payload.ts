/** Data from the server about a task under review (its twin is `annotation/review/side_by_side.py`). */

import type { Outcome, Payload } from "../../tools/marker/payload";

/** A stored answer. A tie has no outcome; an answer without a moment has no frame. */
export interface AnswerData {
  outcome: Outcome | null;
  frame?: number | null;
  time_s?: number | null;
}

export interface Finding {
  id: number;
  category: number;
  taxonomy: string;
  label: string;
  note: string;
}

export interface WorkerRecord {
  balanced_accuracy: number | null;
  low: number | null;
  high: number | null;
  references: number;
  submitted: number;
}

export interface WorkerAnswer {
  /** The number key of this answer, from 1. */
  number: number;
  id: string;
  name: string;
  page: string;
  is_simulated: boolean;
  weighting: "full" | "reduced" | "none";
  record: WorkerRecord | null;
  answer: AnswerData;
  score: number | null;
  took_s: number;
  at: string;
  is_standing: boolean;
  findings: Finding[];
}

export interface Decided {
  id: number;
  answer: AnswerData;
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
  task: {
    key: string;
    status: "open" | "done" | "unjudgeable";
    wanted: number;
    is_reference: boolean;
    project: string;
  };
  payload: Payload;
  may_decide: boolean;
  two_persons: boolean;
  /** Addresses for posting and for leaving the page. */
  decide: string;
  tags: string;
  next: string;
  queue: string;
  answers: WorkerAnswer[];
  consensus: {
    answer: AnswerData;
    confidence: number;
    method: string;
    annotations: number;
    is_settled: boolean;
    needs_review: boolean;
  } | null;
  truths: AnswerData[];
  tolerance_s: number | null;
  reports: Report[];
  proposed: Decided | null;
  standing: Decided | null;
  findings: Finding[];
  categories: Category[];
}
