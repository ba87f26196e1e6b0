/** Data from the server for one step of a command, and what is sent back (CONTRACT section 5). */

import type { ClaimOf } from "../../work/api";
import type { Runs } from "./spans";

export type Kind = "choice" | "choices" | "spans" | "yes_no" | "text";

export interface Option {
  value: string;
  label: string;
  /** Words between asterisks are the important ones. */
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
  /** The commonest answers of several choices. */
  usual: readonly (readonly string[])[];
  /** The part of the command that the answer describes. */
  name: string;
  /** Whether the answers to the other questions of the step say it too. */
  only_alone: boolean;
}

/** A part of a form that can be wrong. */
export interface Part {
  part: string;
  label: string;
  text: string;
  words: Runs;
  about: string;
}

/** A line of the form in words; `words` are the runs of the command that it belongs to. */
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

export interface Guess extends SoFar {
  parts: readonly Part[];
}

export interface Node {
  path: string;
  noun: string;
  /** From the outside in. */
  trail: readonly string[];
  /** The words that are known to belong to this part. */
  words: Runs;
  /** In a quiz: the key of this step's answers in the record. */
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
  /** A form to accept or to correct, in place of the questions. */
  guess: Guess | null;
  /** With the last step: everything that can be wrong. */
  parts: readonly Part[];
  /** Answers of before. */
  known: Answers;
  /** The questions that are still to be answered. */
  asks: readonly string[];
  /** The step that Undo goes back to. */
  undo: string | null;
  /** Earlier steps of this worker that can be changed. */
  back: readonly { key: string; label: string }[];
}

export type Value = string | boolean | readonly string[] | Runs;
export type Answers = Readonly<Record<string, Value>>;

export type Answer =
  | { answers: Answers; unknown?: true; not_a_command?: true; back?: string; accept?: true; wrong?: string }
  | { form: unknown }
  | { unknown: true };

/** The content of a draft. The server stores it as it is. */
export interface Draft {
  answers: Answers;
  at: number;
  /** Only in the expert's editor. */
  form?: unknown;
  active_s: number;
  saved_at: string;
}

/** An assignment as the API gives it, with the payload of the parse tool. */
export type Claim = ClaimOf<Payload, Partial<Draft> | null>;

/** The answer of POST parse/check/ about a form. */
export interface Checked {
  faults: readonly { path: string; reason: string }[];
  changes: readonly { path: string; reason: string }[];
  form: unknown;
  words: string;
  outline: readonly OutlineLine[];
}
