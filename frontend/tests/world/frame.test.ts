import { expect, test } from "vitest";
import {
  cellOf,
  contains,
  eyesOf,
  FACES,
  feetOf,
  gaze,
  indexOf,
  isWithin,
  wholeOf,
  type Cell,
} from "../../src/world/frame";

test.each<[Cell, number]>([
  [[0, 0, 0], 0],
  [[0, 0, 4], 4],
  [[0, 1, 0], 5],
  [[1, 0, 0], 15],
  [[1, 2, 4], 29],
])("in a grid of 2 × 3 × 5 the cell %j has the index %i", (cell, index) => {
  expect(indexOf([2, 3, 5], ...cell)).toBe(index);
  expect(cellOf([2, 3, 5], index)).toEqual(cell);
});

test.each([
  [0, 0, [0, 0, 1]],
  [90, 0, [1, 0, 0]],
  [-90, 0, [-1, 0, 0]],
  [180, 0, [0, 0, -1]],
  [123, 90, [0, 1, 0]],
  [45, -30, [0.612, -0.5, 0.612]],
] as const)("yaw %d and pitch %d look along %j", (yaw, pitch, expected) => {
  const seen = gaze({ yaw, pitch });
  for (const axis of [0, 1, 2]) expect(seen[axis]).toBeCloseTo(expected[axis] as number, 3);
});

test("a figure stands in the middle of its cell, with its eyes 1.6 above its feet", () => {
  const pose = { x: 3, y: 2, z: 5.25, yaw: 10, pitch: 0 };
  expect(feetOf(pose)).toEqual([3.5, 2, 5.75]);
  expect(eyesOf(pose)).toEqual([3.5, 3.6, 5.75]);
});

test("the six faces look six ways, in pairs", () => {
  expect(new Set(FACES.map(String)).size).toBe(6);
  for (let face = 0; face < 6; face += 2) {
    const axis = face >> 1;
    expect(FACES[face]?.map((one, at) => (at === axis ? one : Math.abs(one)))).toEqual(
      [0, 1, 2].map((at) => Number(at === axis)),
    );
    expect(FACES[face + 1]?.[axis]).toBe(-1);
  }
});

test.each<[Cell, boolean]>([
  [[0, 0, 0], true],
  [[1, 2, 4], true],
  [[2, 0, 0], false],
  [[0, -1, 0], false],
  [[0, 0, 5], false],
])("%j is within 2 × 3 × 5: %s", (cell, expected) => {
  expect(contains([2, 3, 5], ...cell)).toBe(expected);
  expect(isWithin(wholeOf([2, 3, 5]), ...cell)).toBe(expected);
});
