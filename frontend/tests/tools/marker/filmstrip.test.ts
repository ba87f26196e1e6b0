import { expect, test } from "vitest";
import { rowOfFrames, thumbFor } from "../../../src/tools/marker/filmstrip";
import { frame } from "../../../src/tools/marker/units";

const STRIP = { urls: ["0", "1"], every: 6, columns: 10, rows: 10, width: 160, height: 90 };

test.each([
  [0, { at: 0, sheet: 0, column: 0, row: 0, rows: 10 }],
  [5, { at: 0, sheet: 0, column: 0, row: 0, rows: 10 }],
  [6, { at: 6, sheet: 0, column: 1, row: 0, rows: 10 }],
  [599, { at: 594, sheet: 0, column: 9, row: 9, rows: 10 }],
  [600, { at: 600, sheet: 1, column: 0, row: 0, rows: 5 }],
  [899, { at: 894, sheet: 1, column: 9, row: 4, rows: 5 }],
])("frame %i has its thumb", (at, thumb) => expect(thumbFor(STRIP, frame(at), 900)).toEqual(thumb));

test("a strip that ends early gives its last thumb", () => {
  expect(thumbFor(STRIP, frame(5000), 9000)).toMatchObject({ at: 1194, sheet: 1, column: 9, row: 9 });
});

test("a row stands for the whole video, in order", () => {
  expect(rowOfFrames(100, 4)).toEqual([12, 37, 62, 87]);
  expect(rowOfFrames(2, 4)).toEqual([0, 0, 1, 1]);
});
