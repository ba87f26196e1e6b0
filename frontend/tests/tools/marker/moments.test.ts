import { expect, test } from "vitest";
import { bandPath, momentAfter, nearMoment } from "../../../src/tools/marker/moments";

const MOMENTS = [10, 20, 50];

test.each([
  [0, 1, 10],
  [10, 1, 20],
  [15, 1, 20],
  [50, 1, null],
  [50, -1, 20],
  [55, -1, 50],
  [10, -1, null],
] as const)("from frame %i by %i", (at, by, to) => expect(momentAfter(MOMENTS, at, by)).toBe(to));

test("without moments there is nowhere to go", () => {
  expect(momentAfter([], 5, 1)).toBeNull();
  expect(nearMoment([], 5, 100)).toBe(5);
});

test("a press near a tick goes to it, others go where they are", () => {
  expect(nearMoment(MOMENTS, 18, 3)).toBe(20);
  expect(nearMoment(MOMENTS, 15, 3)).toBe(15);
});

test("the band begins and ends at the bottom and has a step for each part", () => {
  expect(bandPath([0, 255])).toBe("M0 100L0.00 100.0L500.00 100.0L500.00 0.0L1000.00 0.0L1000 100Z");
  expect(bandPath([])).toBe("M0 100L1000 100Z");
});
