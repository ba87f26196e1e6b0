import { expect, test } from "vitest";
import type { ShownLayer } from "../../../src/staff/scene_review/layers_shown";
import { cutaway } from "../../../src/staff/scene_review/cutaway";
import { initial } from "../../../src/staff/scene_review/state";
import { Grid } from "../../../src/world/grid";
import { rows } from "../../make";

const GRID = Grid.of({
  size: [2, 2, 2],
  blocks: rows("0,0,0,9 1,0,0,9 0,1,0,60"),
});
const GROUND = new Set([0, 4]);
const COATS: ShownLayer[] = [
  { style: "both", words: "in both", cells: [0] },
  { style: "only-a", words: "only A", cells: [7] },
];
const LOOKING = initial({ layers: [], steps: [] });

test("at first nothing is hidden", () => {
  expect(cutaway(LOOKING, GRID, GROUND, COATS)).toBeNull();
});

test("the ground is hidden as a whole", () => {
  expect(cutaway({ ...LOOKING, isGroundHidden: true }, GRID, GROUND, COATS)).toBe(GROUND);
});

test.each([false, true])("all blocks but those that are painted are hidden (without ground: %s)", (isGroundHidden) => {
  const found = cutaway({ ...LOOKING, isGroundHidden, isBare: true }, GRID, GROUND, COATS);
  expect([...(found ?? [])].sort((a, b) => a - b)).toEqual([2, 4]);
});
