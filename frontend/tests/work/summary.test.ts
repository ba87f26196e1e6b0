import { expect, test } from "vitest";
import type { Summary } from "../../src/work/api";
import { spanOfWork } from "../../src/work/formats";
import { cameOfItWords, comparedWords, doneWords, owedWords } from "../../src/work/texts";

const NOUN = { one: "video", many: "videos" };
const dollars = (amount: string) => ({ amount, currency: "USD" });
const SUMMARY: Summary = {
  done: 12,
  left: 0,
  worked_s: 725,
  earned: dollars("1.44"),
  owed: {
    waits: dollars("0.24"),
    approved: dollars("0.96"),
    sent: dollars("0.00"),
    arrived: dollars("0.00"),
    bonus: dollars("0.24"),
    decided_by: null,
  },
  compared: { my_s: 12.4, their_s: 15, same_in_ten: 9 },
  judged_in_ten: 4,
  taught: { examples: 120, in_use: true, right: 0.84, before: 0.71 },
  messages: [],
};

test("the end says what was done, how it compares, what is owed and what came of it", () => {
  expect([
    doneWords(SUMMARY, NOUN),
    ...comparedWords(SUMMARY, NOUN),
    ...owedWords(SUMMARY),
    ...cameOfItWords(SUMMARY, NOUN),
  ]).toEqual([
    "You did 12 videos in 12 minutes of work. Thank you.",
    "You take about 12 seconds for a video. Most people take about 15.",
    "About 9 in 10 of your answers are like those of most other people.",
    "$0.24 of the $1.44 is bonus.",
    "$0.24 waits for a look. What is accepted is paid then.",
    "$0.96 is accepted and will be paid.",
    "About 4 in 10 videos of this project have all the answers that they need.",
    "The agent can learn from 120 examples that people gave here.",
    "The agent that people meet now has learnt from them.",
    "In a test it gets 84% right. Before, it was 71%.",
  ]);
});

test("what is not known yet is left out", () => {
  const compared = { my_s: 12, their_s: null, same_in_ten: null };
  const nothing = { waits: dollars("0.00"), approved: dollars("0.00"), bonus: dollars("0.00") };
  const owed = { ...SUMMARY.owed, ...nothing };
  const none = { ...SUMMARY, done: 0, owed, compared, judged_in_ten: null, taught: null };
  expect(doneWords(none, NOUN)).toBe("You did no video yet.");
  expect([...comparedWords(none, NOUN), ...owedWords(none), ...cameOfItWords(none, NOUN)]).toEqual([]);
});

test.each([
  [0, ""],
  [1, "1 second"],
  [90, "2 minutes"],
  [3900, "1 hour and 5 minutes"],
])("%d seconds of work are %j", (seconds, words) => {
  expect(spanOfWork(seconds)).toBe(words);
});
