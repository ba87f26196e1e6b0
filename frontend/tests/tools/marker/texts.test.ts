import { expect, test } from "vitest";
import { noticeWords, screenWords } from "../../../src/tools/marker/texts";
import { FrameTable } from "../../../src/tools/marker/frames";
import { frame } from "../../../src/tools/marker/units";

const CODES = [
  "worker_blocked",
  "paused",
  "consent_required",
  "qualification_required",
  "project_not_live",
  "limit_reached",
  "budget_spent",
  "too_many_returns",
  "bad_video",
  "bad_link",
];

test.each(CODES)("%s has its own title and its own sentence, free of codes", (code) => {
  const { title, text } = screenWords({ is: "refused", code, detail: "" }, null);
  const unknown = screenWords({ is: "refused", code: "?", detail: "" }, null);
  expect(title).not.toBe(unknown.title);
  expect(`${title} ${text}`).not.toMatch(/_/);
});

test("the server's own sentence comes first where it knows more", () => {
  const said = "We paused your work on this project: 6 of your last 12 check tasks did not match.";
  expect(screenWords({ is: "refused", code: "paused", detail: said }, null).text).toBe(said);
});

test("the last one says what was earned", () => {
  expect(screenWords({ is: "finished" }, "$4.20").text).toBe("You earned $4.20. You can close this page.");
});

test("too early names the moment from which one may mark", () => {
  const table = new FrameTable({ time_base: [1, 30], deltas: [[1, 300]] }, 300);
  const task = { assignment: "a", frames: 300, first: frame(60), last: frame(250), never: frame(250) };
  expect(noticeWords({ is: "too_early" }, task, table)).toContain("2.000 s");
});
