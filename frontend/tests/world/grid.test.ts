import { expect, test } from "vitest";
import type { Cell } from "../../src/world/frame";
import { Grid } from "../../src/world/grid";
import { filled } from "./make";
import { rows } from "../make";

const versions = (grid: Grid): Map<string, number> =>
  new Map([...grid.kept().values()].map((chunk) => [chunk.at.join(), chunk.version]));

test("what was set is read again, and outside there is air", () => {
  const grid = Grid.of({
    size: [40, 20, 40],
    blocks: rows("0,0,0,5 39,19,39,69 16,3,15,7"),
  });
  expect(grid.get(0, 0, 0)).toBe(5);
  expect(grid.get(39, 19, 39)).toBe(69);
  expect(grid.get(16, 3, 15)).toBe(7);
  expect(grid.get(16, 3, 16)).toBe(0);
  expect(grid.get(-1, 0, 0)).toBe(0);
  expect(grid.get(40, 0, 0)).toBe(0);
});

test("setting outside is refused", () => {
  expect(() => new Grid([2, 2, 2]).set(0, 2, 0, 1)).toThrow(RangeError);
});

test("each block is seen once, with its place and id", () => {
  const grid = filled([40, 20, 40], [14, 0, 3], [18, 1, 3], 9);
  const seen: string[] = [];
  grid.each((...block) => seen.push(block.join()));
  expect(seen.sort()).toEqual([14, 15, 16, 17, 18].flatMap((x) => [`${x},0,3,9`, `${x},1,3,9`]).sort());
});

test("blocks are counted by id, and a block taken away no more", () => {
  const grid = filled([4, 4, 4], [0, 0, 0], [3, 0, 3], 8);
  grid.set(0, 0, 0, 9);
  grid.set(1, 0, 0, 0);
  expect([...grid.counts()].sort()).toEqual(rows("8,14 9,1"));
});

test("only chunks with blocks in them are kept", () => {
  const grid = new Grid([256, 256, 256]);
  expect(grid.kept().size).toBe(0);
  grid.set(0, 0, 0, 1);
  grid.set(255, 255, 255, 1);
  expect(grid.kept().size).toBe(2);
  grid.set(0, 0, 0, 0);
  expect([...grid.kept().values()].map(({ at }) => at)).toEqual([[15, 15, 15]]);
});

test.each<[string, Cell, string[]]>([
  ["in the middle of a chunk", [24, 8, 24], ["1,0,1"]],
  ["at one side", [16, 8, 24], ["0,0,1", "1,0,1"]],
  ["in a corner", [16, 15, 31], ["0,0,1", "1,0,1", "1,1,1", "1,0,2"]],
])("a change %s renews the versions of the chunks it shows in", (_where, cell, expected) => {
  const grid = filled([48, 32, 48], [0, 0, 0], [47, 31, 47], 1);
  const before = versions(grid);
  grid.set(...cell, 0);
  const changed = [...versions(grid)].filter(([at, version]) => before.get(at) !== version).map(([at]) => at);
  expect(changed.sort()).toEqual(expected.sort());
});

test("another colour at a side, or no change at all, leaves the neighbours as they were", () => {
  const grid = filled([48, 16, 16], [0, 0, 0], [47, 15, 15], 1);
  const before = versions(grid);
  grid.set(16, 8, 8, 1);
  expect(versions(grid)).toEqual(before);
  grid.set(16, 8, 8, 2);
  expect([...versions(grid)].filter(([at, version]) => before.get(at) !== version)).toHaveLength(1);
});

test("a chunk that comes back has a version it never had", () => {
  const grid = new Grid([16, 16, 16]);
  grid.set(1, 1, 1, 1);
  const first = versions(grid).get("0,0,0");
  grid.set(1, 1, 1, 0);
  grid.set(1, 1, 1, 1);
  expect(versions(grid).get("0,0,0")).not.toBe(first);
});

test("the extent holds all blocks and no more", () => {
  expect(new Grid([4, 4, 4]).extent()).toBeNull();
  const grid = new Grid([100, 100, 100]);
  grid.set(90, 3, 17, 1);
  grid.set(20, 5, 16, 1);
  expect(grid.extent()).toEqual({ low: [20, 3, 16], high: [90, 5, 17] });
});
