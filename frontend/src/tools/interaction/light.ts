/** The light of a session, computed from the scores after each command, and its texts. Pure. */

import { money, type Money } from "../../work/formats";
import type { Colour, Scoring } from "./connection/wire";

/** The score of one command, as far as the page needs it. */
export interface Score {
  command: string;
  /** The score of the whole session after this command. */
  score: number;
  /** Null for a colour that only a newer server knows. */
  colour: Colour | null;
  counted: boolean;
  /** How to do better, or why the command did not count. */
  advice: string;
  bonus: Money | null;
  most: Money | null;
}

/** The rule for the light of this session, with the highest bonus. */
export interface LightRule {
  most: Money | null;
}

export const MOST_SCORE = 10;

/** Adds a score at the end. A second score of the same command replaces the first. */
export function scored(scores: readonly Score[], said: Scoring): readonly Score[] {
  if (typeof said.score !== "number" || !Number.isFinite(said.score)) return scores;
  const one: Score = {
    command: said.command,
    score: Math.min(Math.max(said.score, 0), MOST_SCORE),
    colour: said.colour in WORDS ? said.colour : null,
    counted: said.counted,
    advice: said.advice,
    bonus: said.bonus ?? null,
    most: said.most ?? null,
  };
  const isKnown = scores.some(({ command }) => command === one.command);
  return isKnown ? scores.map((before) => (before.command === one.command ? one : before)) : [...scores, one];
}

const WORDS: Record<Colour, string> = { red: "Needs more", amber: "Getting there", green: "Good" };

/** The word for a colour; it is always shown beside the colour. */
export function colourWord(score: Pick<Score, "colour"> | null): string {
  if (!score) return "No score yet";
  return score.colour ? WORDS[score.colour] : "Scored";
}

/** The score with one digit, rounded down, so that the number never fits a better colour. */
const digits = (score: number): string => (Math.floor(score * 10 + 1e-9) / 10).toFixed(1);

/** “6.4 of 10”. */
export const scoreWords = (score: Pick<Score, "score"> | null): string =>
  `${score ? digits(score.score) : 0} of ${MOST_SCORE}`;

/** The bonus in short; "" if none is paid. */
export function bonusWords(rule: LightRule, score: Pick<Score, "bonus"> | null): string {
  if (score) return score.bonus ? `Expected bonus: ${money(score.bonus)}` : "";
  return rule.most ? `Bonus: up to ${money(rule.most)}` : "";
}

/** The bonus in full, with the remark that it is an estimate; "" if none is paid. */
export function bonusExplained(rule: LightRule, score: Pick<Score, "bonus" | "most"> | null): string {
  const words = bonusWords(rule, score);
  const most = score && (score.most ?? rule.most);
  return (
    words &&
    `${words}${most ? ` of at most ${money(most)}` : ""}. This is an estimate: the final figure is fixed when your work has been looked at.`
  );
}

/** The expected bonus, if it is more than zero and the page shows bonuses. */
function expected(rule: LightRule | null, score: Pick<Score, "bonus"> | null): string | null {
  const bonus = rule && score?.bonus;
  return bonus && /[1-9]/.test(bonus.amount) ? money(bonus) : null;
}

/** Ends of a session that are not the worker's fault. */
const LOST: ReadonlySet<string> = new Set(["agent_lost", "staff"]);

/** The sentence on the expected bonus, for the last page; "" if there is none or the end is not known. */
export function bonusAtEnd(reason: string | null, rule: LightRule | null, score: Pick<Score, "bonus"> | null): string {
  const bonus = expected(rule, score);
  if (bonus === null || reason === null || reason === "over") return "";
  if (reason === "finished") return `Expected bonus ${bonus}. It is fixed when your work has been looked at.`;
  return LOST.has(reason)
    ? `Your bonus of ${bonus} stays yours.`
    : "There is no bonus for it: that is only for sessions that are handed in.";
}

/** The effect of leaving early on the bonus; "" if there is none. */
export function bonusIfLeft(rule: LightRule | null, score: Pick<Score, "bonus"> | null): string {
  const bonus = expected(rule, score);
  return bonus === null ? "" : `The expected bonus of ${bonus} is only for sessions that are handed in.`;
}

/** The advice; before the first score, when it will appear. */
export function adviceWords(score: Pick<Score, "advice" | "counted"> | null): string {
  if (!score) return "It changes after each command, once you have said how it went.";
  return score.counted ? score.advice : notCounted(score);
}

/** Why a command did not count. The words are not doubled if the advice already says it. */
export const notCounted = ({ advice }: Pick<Score, "advice">): string =>
  /\bcounts?\b/i.test(advice) ? advice : `Did not count. ${advice}`.trim();

/** One line of the history without the command: the text alternative of its mark. */
export function scoreLine(score: Score): string {
  return score.counted ? `${scoreWords(score)}, ${colourWord(score).toLowerCase()}` : notCounted(score);
}

/** Read aloud after a command was scored. */
export function scoreAloud(score: Score): string {
  const bonus = score.bonus ? ` Expected bonus: ${money(score.bonus)}.` : "";
  return `The light: ${colourWord(score).toLowerCase()}, ${scoreWords(score)}.${bonus} ${adviceWords(score)}`.trim();
}

/** A point in the small chart of scores. */
export interface Mark {
  x: number;
  y: number;
  score: Score;
}

/** How many of the last scores the chart shows. */
export const MOST_MARKS = 12;
export const MARK_STEP = 11;
export const MARK_HEIGHT = 24;
const MARK_EDGE = 5;

/** The points of the last scores: the newest at the right, 10 at the top. */
export function marksOf(scores: readonly Score[]): readonly Mark[] {
  const room = MARK_HEIGHT - 2 * MARK_EDGE;
  return scores.slice(-MOST_MARKS).map((score, index) => ({
    x: MARK_EDGE + index * MARK_STEP,
    y: MARK_EDGE + room * (1 - score.score / MOST_SCORE),
    score,
  }));
}

/** The chart in words. */
export function marksWords(scores: readonly Score[]): string {
  const told = scores.slice(-MOST_MARKS).map((score) => (score.counted ? digits(score.score) : "did not count"));
  return `${scores.length > MOST_MARKS ? "Your last scores" : "Your scores so far"}: ${told.join(", ")}`;
}
