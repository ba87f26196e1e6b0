/** What the server hands over for one step of a command, and what is given back (CONTRACT section 5). */

import type { Schemas } from "../shared/schemas";
import type { Runs } from "./spans";

export type Kind = "choice" | "choices" | "spans" | "yes_no" | "text";

export interface Option {
  value: string;
  label: string;
  /** Words between asterisks are the ones meant. */
  example?: string;
}

export interface Question {
  id: string;
  path: string;
  ask: string;
  kind: Kind;
  options: readonly Option[];
  optional: boolean;
  example: string;
}

/** A line of the form in words; `words` are the runs of the command that it stands for. */
export interface OutlineLine {
  depth: number;
  label: string;
  text: string;
  words: Runs;
  path: string;
}

export interface SoFar {
  form: unknown;
  words: string;
  outline: readonly OutlineLine[];
}

export interface Node {
  path: string;
  noun: string;
  /** From the outside in. */
  trail: readonly string[];
  /** The words already known to stand for this part. */
  words: Runs;
  /** In a quiz: under which key its answers go into the record. */
  step?: string;
}

export interface Payload {
  text: string;
  tokens: readonly string[];
  context: readonly { speaker: string; text: string }[];
  /** Null: the whole form is edited on one page. */
  node: Node | null;
  so_far: SoFar;
  questions: readonly Question[];
  /** Earlier steps of one's own that one may go back to. */
  back: readonly { key: string; label: string }[];
}

export type Value = string | boolean | readonly string[] | Runs;
export type Answers = Readonly<Record<string, Value>>;

export type Answer =
  | { answers: Answers; unknown?: true; not_a_command?: true; back?: string }
  | { form: unknown }
  | { unknown: true };

/** What autosave keeps: our own shape, the server stores it as it is. */
export interface Draft {
  answers: Answers;
  at: number;
  /** Of the expert's editor. */
  form?: unknown;
  active_s: number;
  saved_at: string;
}

/** An assignment as the API gives it, with what the parse tool puts into it. */
export type Claim = Omit<Schemas["AssignmentAnswer"], "payload" | "draft"> & {
  payload: Payload;
  draft: Partial<Draft> | null;
};

/** What POST parse/check/ says of a form. */
export interface Checked {
  faults: readonly { path: string; reason: string }[];
  changes: readonly { path: string; reason: string }[];
  form: unknown;
  words: string;
  outline: readonly OutlineLine[];
}
