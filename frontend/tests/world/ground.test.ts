import { expect, test } from "vitest";
import { cellOf } from "../../src/world/frame";
import { Grid } from "../../src/world/grid";
import { groundOf } from "../../src/world/ground";
import { filled } from "./make";

const SIZE = [10, 8, 10] as const;

const levels = (grid: Grid): number[] =>
  [...new Set([...groundOf(grid)].map((index) => cellOf(grid.size, index)[1]))].sort((a, b) => a - b);

test("full layers from below are ground, what stands on them is not", () => {
  const grid = filled(SIZE, [0, 0, 0], [9, 1, 9], 9);
  filled(SIZE, [2, 2, 2], [4, 6, 4], 60, grid);
  expect(groundOf(grid).size).toBe(200);
  expect(levels(grid)).toEqual([0, 1]);
});

test("something sunk into the ground is no ground, as long as it is small", () => {
  const grid = filled(SIZE, [0, 0, 0], [9, 0, 9], 8);
  filled(SIZE, [0, 0, 0], [0, 0, 9], 27, grid);
  expect(groundOf(grid).size).toBe(90);
});

test("two kinds that each fill a fifth are both ground", () => {
  const grid = filled(SIZE, [0, 0, 0], [9, 0, 9], 8);
  filled(SIZE, [0, 0, 0], [1, 0, 9], 28, grid);
  expect(groundOf(grid).size).toBe(100);
});

test("a layer that is half filled ends the ground, even under a full one", () => {
  const grid = filled(SIZE, [0, 0, 0], [9, 0, 9], 8);
  filled(SIZE, [0, 1, 0], [4, 1, 9], 8, grid);
  filled(SIZE, [0, 2, 0], [9, 2, 9], 8, grid);
  expect(levels(grid)).toEqual([0]);
});

test("empty layers below the ground are passed over", () => {
  expect(levels(filled(SIZE, [0, 3, 0], [9, 4, 9], 8))).toEqual([3, 4]);
});

test.each([
  ["nothing", new Grid(SIZE)],
  ["a tower alone", filled(SIZE, [4, 0, 4], [5, 7, 5], 60)],
])("%s has no ground", (_what, grid) => {
  expect(groundOf(grid).size).toBe(0);
});
