import { expect, test } from "vitest";
import { middleOf } from "../../src/page/scroll_frames";

test.each([
  [400, 200, 300, 350],
  [10, 40, 300, 0],
])("a box at %i of size %i stands in the middle of a frame of %i: %i", (start, size, frame, offset) => {
  expect(middleOf(start, size, frame)).toBe(offset);
});
