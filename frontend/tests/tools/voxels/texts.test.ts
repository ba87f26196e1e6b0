import { expect, test } from "vitest";
import type { Cell } from "../../../src/world/frame";
import { cellWords, countWords, cursorWords, lineOf, unseenWords } from "../../../src/tools/voxels/texts";
import { at, atWork, LAWN, marked } from "./make";
import { rows } from "../../make";

test.each<[Cell[], string]>([
  [[], "Nothing marked yet"],
  [[[1, 1, 1]], "1 block marked"],
  [rows("1,1,1 1,2,1"), "2 blocks marked"],
  [rows("1,1,1 1,2,1 2,2,1"), "2 blocks, 1 of air marked"],
  [[[2, 2, 1]], "1 of air marked"],
])("%j is counted as %j", (cells, words) => {
  expect(countWords(marked(LAWN, { marks: new Set(at(LAWN, ...cells)) }))).toBe(words);
});

test("a cell is named with its place, and whether it is marked", () => {
  const marking = marked(LAWN, { marks: new Set(at(LAWN, [1, 3, 1])) });
  expect(cellWords(marking, [1, 3, 1])).toBe("red wool · x 1, y 3, z 1 · marked");
  expect(cellWords(marking, [2, 3, 1])).toBe("air · x 2, y 3, z 1");
  expect(cellWords(marking, [6, 0, 0])).toBe("outside of the scene");
  expect(cellWords(marked(LAWN, {}, { type: "ground" }), [0, 0, 0])).toBe("hidden · x 0, y 0, z 0");
});

test("the cursor is said aloud with its block, its mark and the count", () => {
  expect(cursorWords(marked(LAWN, {}, { type: "cursor", at: [1, 1, 1] }))).toBe(
    "yellow wool · x 1, y 1, z 1 · not marked. Nothing marked yet.",
  );
  expect(cursorWords(marked(LAWN, {}, { type: "absent" }, { type: "cursor", at: [1, 1, 1] }))).toMatch(/not there\.$/);
});

test("hidden marks are counted in the text", () => {
  const marks = new Set(at(LAWN, [0, 0, 0], [1, 1, 1]));
  expect(unseenWords(marked(LAWN, { marks }))).toBe("");
  expect(unseenWords(marked(LAWN, { marks }, { type: "ground" }))).toMatch(/^1 of them/);
});

test("the wait comes first, then what the page says, then the tool", () => {
  const payload = { scene: LAWN, phrase: "it" };
  const told = atWork(payload, { type: "mark", action: { type: "use", at: [3, 3, 3] } });
  expect(lineOf(told)).toBe("There is no block here. To mark air, choose Air.");
  expect(lineOf({ ...told, notice: { is: "nothing_said" } })).toMatch(/^Mark it first/);
  expect(lineOf({ ...told, sending: { is: "waiting", why: "offline", attempt: 1 } })).toMatch(/^No connection/);
});
