import { expect, test } from "vitest";
import { middleOf } from "../../src/page/scroll_frames";

test("a box comes to stand in the middle of its frame", () => {
  expect(middleOf(400, 200, 300)).toBe(350);
});

test("nothing scrolls before the beginning", () => {
  expect(middleOf(10, 40, 300)).toBe(0);
});
