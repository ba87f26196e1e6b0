import { expect, test } from "vitest";
import type { Coat } from "../../src/review_voxels/coats";
import { hidden } from "../../src/review_voxels/hidden";
import { initial } from "../../src/review_voxels/state";
import { Grid } from "../../src/world/grid";

const GRID = Grid.of({
  size: [2, 2, 2],
  blocks: [
    [0, 0, 0, 9],
    [1, 0, 0, 9],
    [0, 1, 0, 60],
  ],
});
const GROUND = new Set([0, 4]);
const COATS: Coat[] = [
  { look: "both", words: "in both", cells: [0] },
  { look: "only-a", words: "only A", cells: [7] },
];
const LOOKING = initial({ layers: [], steps: [] });

test("at first nothing is hidden", () => {
  expect(hidden(LOOKING, GRID, GROUND, COATS)).toBeNull();
});

test("the ground is hidden as a whole", () => {
  expect(hidden({ ...LOOKING, isGroundHidden: true }, GRID, GROUND, COATS)).toBe(GROUND);
});

test.each([false, true])("all blocks but those that are painted are hidden (without ground: %s)", (isGroundHidden) => {
  const found = hidden({ ...LOOKING, isGroundHidden, isBare: true }, GRID, GROUND, COATS);
  expect([...(found ?? [])].sort((a, b) => a - b)).toEqual([2, 4]);
});
