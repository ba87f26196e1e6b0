import { expect, test } from "vitest";
import { hintOf, noticeWords, pieces } from "../../../src/tools/parse/texts";
import { goalOf } from "../../../src/tools/parse/view/tokens";
import { screenWords } from "../../../src/work/texts";
import { question } from "./make";

test.each([
  ["build a *house*", ["build a ", "HOUSE"]],
  ["*turn* left, *jump*", ["TURN", " left, ", "JUMP"]],
  ["2 * 3", ["2 * 3"]],
  ["", []],
])("the example %j in pieces", (text, expected) => {
  // What is meant stands in capitals here.
  expect(pieces(text).map((piece) => (piece.isMeant ? piece.text.toUpperCase() : piece.text))).toEqual(expected);
});

test("none is fine only where it is", () => {
  expect(hintOf(question({ kind: "spans", optional: true }))).toContain("None is fine");
  expect(hintOf(question({ kind: "spans" }))).not.toContain("None is fine");
});

test("a lost command is called a command", () => {
  expect(screenWords({ is: "lost", endedAt: 0 }, null, { one: "command", many: "commands" }).text).toContain(
    "this command",
  );
  expect(noticeWords({ is: "elsewhere" })).toContain("last command");
});

test("arrows follow the eye: in text that runs from right to left, left is forward", () => {
  expect(goalOf("ArrowRight", 1, 5, false)).toBe(2);
  expect(goalOf("ArrowLeft", 1, 5, true)).toBe(2);
  expect(goalOf("ArrowRight", 0, 5, true)).toBe(0);
  expect(goalOf("End", 1, 5, false)).toBe(4);
  expect(goalOf("x", 1, 5, false)).toBeNull();
});
