import { describe, expect, test } from "vitest";
import {
  adviceWords,
  bonusAtEnd,
  bonusExplained,
  bonusIfLeft,
  bonusWords,
  colourWord,
  MARK_HEIGHT,
  marksOf,
  marksWords,
  MOST_MARKS,
  scoreAloud,
  scored,
  scoreLine,
  scoreWords,
  type Score,
} from "../../../src/tools/interaction/light";
import { beginLive, reduceLive, type Live } from "../../../src/tools/interaction/live";
import type { Scoring } from "../../../src/tools/interaction/connection/wire";
import { money } from "../../../src/work/formats";
import { greet, heard, server, START_MS, told, worker } from "./make";

const USD = (amount: string) => ({ amount, currency: "USD" });
/** As this machine writes money. */
const usd = (amount: string): string => money(USD(amount));
const PAID = { most: USD("3.00") };
const UNPAID = { most: null };

const scoring = (command: string, changes: Partial<Scoring> = {}): Scoring => ({
  command,
  score: 6.4,
  colour: "amber",
  bonus: USD("1.92"),
  counted: true,
  advice: "Try words that you have not used yet.",
  most: USD("3.00"),
  ...changes,
});
const score = (changes: Partial<Scoring> = {}): Score => scored([], scoring("c1", changes))[0] as Score;
const REPEATED = scoring("c2", { counted: false, advice: "You said this before." });

/** A session that was greeted with this light, and then told these scores. */
function lit(light: Live["light"] | undefined, ...said: Scoring[]): Live {
  const state = light === undefined ? {} : { light };
  const greeted = greet(beginLive(300, START_MS), { phase: "running", ...state });
  return said.reduce((live, body, index) => reduceLive(live, heard(server("score", body), index + 1)), greeted);
}

describe("the scores of a session", () => {
  test("stand in the order of their commands, with what did not count", () => {
    const { scores } = lit(PAID, scoring("c1"), REPEATED, scoring("c3", { score: 8.1, colour: "green" }));
    expect(scores.map(({ command, score, colour, counted }) => [command, score, colour, counted])).toEqual([
      ["c1", 6.4, "amber", true],
      ["c2", 6.4, "amber", false],
      ["c3", 8.1, "green", true],
    ]);
  });

  test("are one for each command: what is said of it again counts", () => {
    const { scores } = lit(PAID, scoring("c1"), scoring("c2"), scoring("c1", { score: 2, colour: "red" }));
    expect(scores.map(({ command, score }) => [command, score])).toEqual([
      ["c1", 2],
      ["c2", 6.4],
    ]);
  });

  test("are the same after a reload, which gets the whole log, and after a reconnect, which gets the rest", () => {
    const said = [scoring("c1"), REPEATED, scoring("c3", { score: 8.1, colour: "green" })];
    const before = lit(PAID, ...said.slice(0, 2));
    const again = greet(before, { phase: "running", light: PAID }, { last_seq: 3 });
    const rest = reduceLive(again, heard(server("score", said[2] as Scoring), 3));
    expect(rest.scores).toEqual(lit(PAID, ...said).scores);
    expect(rest.light).toEqual(PAID);
  });

  test("take what a newer server may say", () => {
    const { most: _, ...bare } = scoring("c1", { score: 12, colour: "violet" as never });
    const odd: Scoring & { creativity: number } = { ...bare, creativity: 3.2 };
    expect(scored([], odd)[0]).not.toHaveProperty("creativity");
    expect(scored([], odd)[0]).toMatchObject({ score: 10, colour: null, most: null });
    expect(scored([], scoring("c1", { score: null as never }))).toEqual([]);
  });

  test("change nothing but themselves: the world and the talk stay the very same", () => {
    const running = told(worker("start", {}), worker("command", { id: "c1", text: "dig" }));
    const after = reduceLive(running, heard(server("score", scoring("c1")), 900));
    expect(after.talk).toBe(running.talk);
    const { command, question, ask, pointed } = running;
    expect(after).toMatchObject({ command, question, ask, pointed });
  });
});

describe("whether there is a light", () => {
  test("is the server's word; without it there is none", () => {
    expect(lit(PAID).light).toEqual(PAID);
    expect(lit(UNPAID).light).toEqual(UNPAID);
    expect([lit(null).light, lit(undefined).light, beginLive(300, 0).light]).toEqual([null, null, null]);
  });

  test("without one nothing is said aloud, and nothing at the end", () => {
    const dark = lit(null, scoring("c1"));
    expect(dark.announced).toEqual([]);
    expect(bonusAtEnd("finished", dark.light, dark.scores.at(-1) ?? null)).toBe("");
  });
});

describe("words", () => {
  test("the colour goes with a word, also before there is any", () => {
    const words = (["red", "amber", "green", "violet" as never] as const).map((colour) =>
      colourWord(score({ colour })),
    );
    expect([...words, colourWord(null)]).toEqual(["Needs more", "Getting there", "Good", "Scored", "No score yet"]);
  });

  test.each([
    [6.4, "6.4 of 10"],
    [6, "6.0 of 10"],
    [0, "0.0 of 10"],
    [10, "10.0 of 10"],
    [7.947, "7.9 of 10"],
    // Green begins at 6.5: amber never reads so.
    [6.4999, "6.4 of 10"],
    [6.5, "6.5 of 10"],
  ])("a score of %f is “%s”", (value, words) => expect(scoreWords(score({ score: value }))).toBe(words));

  test("before the first it is 0 of 10", () => expect(scoreWords(null)).toBe("0 of 10"));

  test("the bonus is an estimate, and says so", () => {
    expect(bonusWords(PAID, score())).toBe(`Expected bonus: ${usd("1.92")}`);
    expect(bonusWords(PAID, null)).toBe(`Bonus: up to ${usd("3.00")}`);
    expect(bonusExplained(PAID, score())).toBe(
      `Expected bonus: ${usd("1.92")} of at most ${usd("3.00")}. This is an estimate: the final figure is fixed when your work has been looked at.`,
    );
    expect(bonusExplained(UNPAID, score({ most: null }))).toContain(`Expected bonus: ${usd("1.92")}. This`);
  });

  test("of a bonus that is not paid nothing is said", () => {
    expect([bonusWords(UNPAID, null), bonusExplained(UNPAID, null)]).toEqual(["", ""]);
    const unpaid = score({ bonus: null, most: null });
    expect([
      bonusWords(UNPAID, unpaid),
      bonusExplained(UNPAID, unpaid),
      bonusAtEnd("finished", UNPAID, unpaid),
      bonusIfLeft(UNPAID, unpaid),
    ]).toEqual(["", "", "", ""]);
    expect(scoreAloud(unpaid)).not.toMatch(/bonus|\d\.\d\d/i);
  });

  test("the amount stays the decimal that was sent", () => {
    expect(bonusWords(PAID, score({ bonus: USD("98765432109876.54") })).replace(/[^\d]/g, "")).toBe("9876543210987654");
    expect(bonusWords(PAID, score({ bonus: { amount: "1.5", currency: "gold coins" } }))).toBe(
      "Expected bonus: 1.5 gold coins",
    );
  });

  test("a command that did not count says so and why", () => {
    const repeated = scored([], REPEATED)[0] as Score;
    for (const words of [adviceWords, scoreLine]) expect(words(repeated)).toBe("Did not count. You said this before.");
    const told = score({ counted: false, advice: "This did not count: write a command in plain words." });
    expect([adviceWords(told), scoreLine(told)]).toEqual([told.advice, told.advice]);
    expect([adviceWords(score()), scoreLine(score())]).toEqual([
      "Try words that you have not used yet.",
      "6.4 of 10, getting there",
    ]);
  });

  test("news is said aloud, once; what was before is not", () => {
    const live = lit(PAID, scoring("c1"));
    expect(live.announced.map(({ text }) => text)).toEqual([
      `The light: getting there, 6.4 of 10. Expected bonus: ${usd("1.92")}. Try words that you have not used yet.`,
    ]);
    const greeted = greet(beginLive(300, START_MS), { phase: "running", light: PAID }, { last_seq: 9 });
    expect(reduceLive(greeted, heard(server("score", scoring("c1")), 9)).announced).toEqual([]);
  });
});

describe("the end", () => {
  const EARNED = score({ bonus: USD("2.10") });

  test("says the bonus that is expected, and when it is fixed", () => {
    expect(bonusAtEnd("finished", PAID, EARNED)).toBe(
      `Expected bonus ${usd("2.10")}. It is fixed when your work has been looked at.`,
    );
  });

  test.each(["agent_lost", "staff"])("says that it stays theirs where it was not their doing: %s", (reason) => {
    expect(bonusAtEnd(reason, PAID, EARNED)).toBe(`Your bonus of ${usd("2.10")} stays yours.`);
  });

  test.each(["left", "expired"])("says that there is none for a session that was not handed in: %s", (reason) => {
    expect(bonusAtEnd(reason, PAID, EARNED)).toBe(
      "There is no bonus for it: that is only for sessions that are handed in.",
    );
  });

  test("says nothing where it is not known how it ended", () => {
    expect([bonusAtEnd("over", PAID, EARNED), bonusAtEnd(null, PAID, EARNED)]).toEqual(["", ""]);
  });

  test("says nothing of a bonus where there is none", () => {
    for (const reason of ["finished", "left"])
      expect([
        bonusAtEnd(reason, PAID, null),
        bonusAtEnd(reason, PAID, score({ bonus: USD("0.00") })),
        bonusAtEnd(reason, null, score()),
      ]).toEqual(["", "", ""]);
  });

  test("a worker about to leave reads what that means for the bonus", () => {
    expect(bonusIfLeft(PAID, EARNED)).toBe(
      `The expected bonus of ${usd("2.10")} is only for sessions that are handed in.`,
    );
    expect([bonusIfLeft(PAID, null), bonusIfLeft(null, EARNED)]).toEqual(["", ""]);
  });
});

describe("the picture of the scores", () => {
  const many = Array.from({ length: MOST_MARKS + 3 }, (_, index) =>
    scoring(`c${index}`, { score: index % 11, counted: index !== 5 }),
  ).reduce(scored, [] as readonly Score[]);

  test("has the last ones, within its edges, 10 above 0", () => {
    const marks = marksOf(many);
    expect(marks.map(({ score: { command } }) => command)).toEqual(many.slice(3).map(({ command }) => command));
    expect(Math.min(...marks.map(({ y }) => y))).toBeGreaterThan(3);
    expect(Math.max(...marks.map(({ y }) => y))).toBeLessThan(MARK_HEIGHT - 3);
    const [low, high] = marksOf([score({ score: 0 }), score({ score: 10 })]);
    expect(high?.y).toBeLessThan(low?.y ?? 0);
    expect(high?.x).toBeGreaterThan(low?.x ?? 0);
  });

  test("has a text in its place", () => {
    expect(marksWords(scored([score()], REPEATED))).toBe("Your scores so far: 6.4, did not count");
    expect(marksWords(many)).toMatch(/^Your last scores: 3\.0, 4\.0, did not count, 6\.0/);
  });
});
