import { expect, test } from "vitest";
import { centreOf, countsOf, groupsOf, MOST_TOLD_APART, nameOf } from "../../../../src/tools/voxels/marking/groups";
import { Grid } from "../../../../src/world/grid";
import { at, box, LAWN, RED, scene, YELLOW } from "../make";

const grid = Grid.of(LAWN);

test("each lot of one material that hangs together is a line, the largest first", () => {
  const marks = new Set(at(LAWN, [4, 1, 4], [1, 1, 1], [1, 2, 1], [1, 3, 1], [1, 4, 1], [3, 4, 3]));
  const groups = groupsOf(grid, marks);
  expect(groups.map(({ id, cells }) => [id, cells.length])).toEqual([
    [YELLOW, 2],
    [RED, 1],
    [0, 1],
    [0, 1],
    [YELLOW, 1],
  ]);
  expect(new Set(groups.map(({ key }) => key)).size).toBe(5);
  expect(groups.flatMap(({ cells }) => cells).sort((a, b) => a - b)).toEqual([...marks].sort((a, b) => a - b));
});

test("very many marks are grouped by material only", () => {
  const wide = scene([40, 40, 40], box([0, 0, 0], [39, 13, 39], RED));
  const marks = new Set(Array.from({ length: MOST_TOLD_APART + 1 }, (_, i) => i));
  const groups = groupsOf(Grid.of(wide), marks);
  expect(new Set(groups.map(({ id }) => id))).toEqual(new Set([0, RED]));
  expect(groups).toHaveLength(2);
});

test("blocks and air are counted apart", () => {
  expect(countsOf(grid, new Set(at(LAWN, [1, 1, 1], [1, 4, 1])))).toEqual({ blocks: 1, air: 1 });
});

test("the middle is that of the cells' cubes, and materials have names", () => {
  expect(centreOf(LAWN.size, at(LAWN, [1, 1, 1], [1, 2, 1]))).toEqual([1.5, 2, 1.5]);
  expect([nameOf(0), nameOf(RED), nameOf(YELLOW)]).toEqual(["air", "red wool", "yellow wool"]);
});
