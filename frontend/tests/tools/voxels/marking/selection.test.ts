import { expect, test } from "vitest";
import { begin } from "../../../../src/tools/voxels/marking/marking";
import {
  between,
  boxOf,
  brush,
  ENCLOSED_WITHIN,
  flood,
  isEnclosed,
  isInSight,
  MOST_AIR,
  one,
  surfaceOf,
  type Field,
  type Selection,
} from "../../../../src/tools/voxels/marking/selection";
import { thingAt } from "../../../../src/tools/voxels/marking/things";
import type { Cell, Scene } from "../../../../src/world/frame";
import { at, box, GRASS, LAWN, RED, scene, YELLOW } from "../make";

const field = (of: Scene, over: Partial<Field> = {}): Field => ({ ...begin(of), ...over });
const cells = (reach: Selection): number[] => ("cells" in reach ? [...reach.cells].sort((a, b) => a - b) : []);
const lawn = field(LAWN);

test("one block is the one at hand, one cell of air likewise", () => {
  expect(one(lawn, "blocks", [1, 1, 1])).toEqual({ cells: at(LAWN, [1, 1, 1]) });
  expect(one(lawn, "air", [2, 1, 1])).toEqual({ cells: at(LAWN, [2, 1, 1]) });
});

test.each([
  ["a block where air is meant", "air", [1, 1, 1], "not_air"],
  ["air where a block is meant", "blocks", [2, 1, 1], "not_a_block"],
  ["a place before the scene", "blocks", [-1, 0, 0], "outside"],
  ["a place behind the scene", "air", [0, 0, 6], "outside"],
] as const)("no tool takes %s", (_, target, cell, refused) => {
  for (const tool of [one, flood, thingAt]) expect(tool(lawn, target, cell as Cell)).toEqual({ refused });
});

test("no tool takes what is cut away, nor ground that is hidden", () => {
  const cut = field(LAWN, { cut: { low: [0, 0, 0], high: [5, 1, 5] } });
  expect(one(cut, "blocks", [1, 2, 1])).toEqual({ refused: "out_of_sight" });
  expect(brush(cut, "blocks", [1, 2, 1], 3)).toEqual({ refused: "out_of_sight" });
  expect(cells(flood(cut, "blocks", [1, 1, 1]))).toEqual(at(LAWN, [1, 1, 1]));
  const hidden = field(LAWN, { isGroundHidden: true });
  expect(one(hidden, "blocks", [0, 0, 0])).toEqual({ refused: "out_of_sight" });
  expect(cells(between(hidden, "blocks", [0, 0, 0], [1, 1, 1]))).toEqual(at(LAWN, [1, 1, 1]));
  expect(isInSight(hidden, [0, 0, 0])).toBe(false);
  expect(isInSight(lawn, [0, 0, 0])).toBe(true);
});

// Box ----------------------------------------------------------------------------------------------------------------

test("a box has its two corners whichever way it is drawn", () => {
  expect(boxOf([3, 0, 2], [1, 4, 2])).toEqual({ low: [1, 0, 2], high: [3, 4, 2] });
  const there = between(lawn, "blocks", [1, 1, 1], [4, 3, 4]);
  expect(cells(there)).toEqual(at(LAWN, [1, 1, 1], [1, 2, 1], [1, 3, 1], [4, 1, 4]));
  expect(cells(between(lawn, "blocks", [4, 3, 4], [1, 1, 1]))).toEqual(cells(there));
});

test("a box of air takes only air, and ends where the scene does", () => {
  expect(cells(between(lawn, "air", [1, 3, 1], [1, 99, 1]))).toEqual(at(LAWN, [1, 4, 1]));
  expect(between(lawn, "air", [1, 1, 1], [1, 2, 1])).toEqual({ refused: "not_air" });
  expect(between(lawn, "blocks", [9, 0, 0], [12, 0, 0])).toEqual({ refused: "out_of_sight" });
});

test("a box larger than a scene may have blocks is too much at once", () => {
  const wide = field(scene([65, 64, 65], [[0, 0, 0, RED]]));
  expect(between(wide, "air", [0, 0, 0], [64, 63, 64])).toEqual({ refused: "too_many" });
  expect(cells(between(wide, "air", [0, 0, 0], [63, 63, 63]))).toHaveLength(64 ** 3 - 1);
});

// Flood and things -------------------------------------------------------------------------------------------------

test("the same colour spreads over faces, not over edges, and stops at another colour", () => {
  const stairs = scene(
    [4, 4, 4],
    [
      [0, 0, 0, RED],
      [1, 0, 0, RED],
      [2, 1, 0, RED],
      [1, 1, 0, YELLOW],
    ],
  );
  expect(cells(flood(field(stairs), "blocks", [0, 0, 0]))).toEqual(at(stairs, [0, 0, 0], [1, 0, 0]));
  expect(cells(flood(lawn, "blocks", [1, 1, 1]))).toEqual(at(LAWN, [1, 1, 1], [1, 2, 1]));
  expect(cells(flood(lawn, "blocks", [0, 0, 0]))).toHaveLength(36);
});

test("a whole thing is of any colour, and stands on the ground without being of it", () => {
  expect(cells(thingAt(lawn, "blocks", [1, 3, 1]))).toEqual(at(LAWN, [1, 1, 1], [1, 2, 1], [1, 3, 1]));
  expect(thingAt(lawn, "blocks", [3, 0, 3])).toEqual({ refused: "is_ground" });
});

test("the largest scene is flooded whole", () => {
  const solid = field(scene([64, 64, 64], box([0, 0, 0], [63, 63, 63], RED)), { ground: new Set() });
  expect(cells(flood(solid, "blocks", [0, 0, 0]))).toHaveLength(64 ** 3);
});

// Brush --------------------------------------------------------------------------------------------------------------

test.each([
  [1, 1],
  [2, 27],
  [3, 125],
])("a brush of size %i takes a cube of %i cells", (size, count) => {
  const solid = field(scene([9, 9, 9], box([0, 0, 0], [8, 8, 8], RED)), { ground: new Set() });
  expect(cells(brush(solid, "blocks", [4, 4, 4], size))).toHaveLength(count);
});

test("a brush takes blocks around a cell of air too, and nothing beyond the scene", () => {
  expect(cells(brush(lawn, "blocks", [2, 2, 1], 2))).toEqual(at(LAWN, [1, 1, 1], [1, 2, 1], [1, 3, 1]));
  expect(cells(brush(lawn, "blocks", [0, 0, 0], 2))).toEqual(
    at(LAWN, [0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1], [1, 1, 1]),
  );
  expect(brush(lawn, "blocks", [3, 4, 3], 1)).toEqual({ refused: "not_a_block" });
  expect(brush(lawn, "blocks", [0, 5, 0], 3)).toEqual({ refused: "outside" });
});

// Air ----------------------------------------------------------------------------------------------------------------

/** Ground two deep with a hole of 2 × 2 × 2, and a wall of one block with a doorway of two. */
const HOLE = [
  [2, 0, 2],
  [2, 0, 3],
  [2, 1, 2],
  [2, 1, 3],
  [3, 0, 2],
  [3, 0, 3],
  [3, 1, 2],
  [3, 1, 3],
] as const;
const isHole = (block: readonly number[]): boolean =>
  HOLE.some((cell) => cell.every((value, axis) => value === block[axis]));
const YARD = scene(
  [12, 8, 12],
  [
    ...box([0, 0, 0], [11, 1, 11], GRASS).filter((block) => !isHole(block)),
    ...box([4, 2, 8], [8, 4, 8], RED).filter(([x, y]) => !(x === 6 && y < 4)),
  ],
);
const yard = field(YARD);

test("a hole is filled up to the surface of the ground", () => {
  expect(yard.surface).toBe(1);
  for (const tool of [flood, thingAt]) expect(cells(tool(yard, "air", [2, 0, 2]))).toEqual(at(YARD, ...HOLE));
});

test("a doorway is filled between its posts", () => {
  expect(cells(flood(yard, "air", [6, 2, 8]))).toEqual(at(YARD, [6, 2, 8], [6, 3, 8]));
});

test("open air has no edge", () => {
  expect(flood(yard, "air", [6, 7, 6])).toEqual({ refused: "open_air" });
  expect(flood(yard, "air", [6, 2, 7])).toEqual({ refused: "open_air" });
});

test.each([
  ["both sides within reach", ENCLOSED_WITHIN, ENCLOSED_WITHIN, true],
  ["one side a step too far", ENCLOSED_WITHIN + 1, ENCLOSED_WITHIN, false],
  ["the other side a step too far", ENCLOSED_WITHIN, ENCLOSED_WITHIN + 1, false],
])("air with %s is enclosed: %i and %i away: %j", (_, before, after, isSo) => {
  const [first, last] = [20 - before, 20 + after];
  const alongX = scene(
    [40, 8, 8],
    [
      [first, 3, 4, RED],
      [last, 3, 4, RED],
    ],
  );
  expect(isEnclosed(field(alongX), [20, 3, 4])).toBe(isSo);
  const alongZ = scene(
    [8, 8, 40],
    [
      [4, 3, first, RED],
      [4, 3, last, RED],
    ],
  );
  expect(isEnclosed(field(alongZ), [4, 3, 20])).toBe(isSo);
});

test("a block above and below does not enclose", () => {
  expect(
    isEnclosed(
      field(
        scene(
          [3, 3, 3],
          [
            [1, 0, 1, RED],
            [1, 2, 1, RED],
          ],
        ),
      ),
      [1, 1, 1],
    ),
  ).toBe(false);
});

test.each([
  [40, MOST_AIR],
  [41, null],
])("air between walls %i high is filled as long as it is at most 4,000 cells", (height, count) => {
  // 10 along x, 10 along z.
  const walls = scene(
    [12, 50, 10],
    [...box([0, 0, 0], [0, height - 1, 9], RED), ...box([11, 0, 0], [11, height - 1, 9], RED)],
  );
  const reach = flood(field(walls, { ground: new Set(), surface: height - 1 }), "air", [5, 0, 5]);
  if (count === null) expect(reach).toEqual({ refused: "open_air" });
  else expect(cells(reach)).toHaveLength(count);
});

test("the surface is the highest layer of the ground", () => {
  expect(surfaceOf([6, 5, 6], lawn.ground)).toBe(0);
  expect(surfaceOf([6, 5, 6], new Set())).toBe(-1);
});
