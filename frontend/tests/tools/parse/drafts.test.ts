import { expect, test } from "vitest";
import { newerDraft } from "../../../src/tools/parse/drafts";
import type { Claim, Draft } from "../../../src/tools/parse/payload";
import { OPTIONS, payload, question } from "./make";
import { rows } from "../../make";

const claim = (draft: unknown): Claim =>
  ({
    assignment: "a",
    draft,
    payload: payload([question({ id: "what", options: OPTIONS }), question({ id: "words", kind: "spans" })]),
  }) as unknown as Claim;
const draft = (over: Partial<Draft> = {}): Draft => ({
  answers: { what: "B", words: [[1, 2]] },
  at: 1,
  active_s: 3,
  saved_at: "2026-01-01T10:00:00Z",
  ...over,
});

test("the newer draft wins, wherever it was kept", () => {
  const newer = draft({ answers: { what: "C" }, saved_at: "2026-01-01T10:00:01Z" });
  expect(newerDraft(claim(draft()), newer)?.answers).toEqual({ what: "C" });
  expect(newerDraft(claim(newer), draft())?.answers).toEqual({ what: "C" });
});

test("of a draft only what the questions take comes back", () => {
  const odd = {
    answers: {
      what: "Z",
      words: rows("1,99 0,0"),
      gone: "x",
    },
    at: 7,
    saved_at: "2026-01-01T10:00:00Z",
  };
  expect(newerDraft(claim(odd), null)).toEqual({
    answers: { words: [[0, 0]] },
    at: 1,
    active_s: 0,
    saved_at: odd.saved_at,
  });
});

test.each([null, {}, "text", { saved_at: "never" }])("%j is no draft", (stored) => {
  expect(newerDraft(claim(stored), null)).toBeNull();
});
