import { expect, test } from "vitest";
import { cellOf, isWithin, wholeOf, type Box, type Cell } from "../../src/world/frame";
import { pick, type Hit } from "../../src/world/pick";
import { numbers, speckled } from "./make";

const SIZE = [9, 7, 8] as const;

/** The nearest of all blocks whose cube the ray enters, each looked at by itself. */
function slowly(
  isSolid: (x: number, y: number, z: number) => boolean,
  box: Box,
  origin: Cell,
  direction: Cell,
): Hit | null {
  let nearest = Infinity;
  let found: Hit | null = null;
  for (let index = 0; index < SIZE[0] * SIZE[1] * SIZE[2]; index++) {
    const cell = cellOf(SIZE, index);
    if (!isWithin(box, ...cell) || !isSolid(...cell)) continue;
    const spans = [0, 1, 2].map((axis) => {
      const [from, step, low] = [origin[axis], direction[axis], cell[axis]] as [number, number, number];
      const [a, b] = [(low - from) / step, (low + 1 - from) / step];
      return [Math.min(a, b), Math.max(a, b)] as const;
    });
    const enter = Math.max(...spans.map(([near]) => near));
    const leave = Math.min(...spans.map(([, far]) => far));
    if (enter >= leave || leave <= 0 || enter <= 0 || enter >= nearest) continue;
    nearest = enter;
    const axis = spans.findIndex(([near]) => near === enter);
    const face: [number, number, number] = [0, 0, 0];
    face[axis] = -Math.sign(direction[axis] as number);
    found = { cell, face };
  }
  return found;
}

test.each([
  ["the whole", wholeOf(SIZE)],
  ["a part", { low: [2, 1, 3], high: [6, 5, 6] }],
] as const)("of %s, a thousand rays meet what they meet when every block is looked at", (_what, box) => {
  const grid = speckled(SIZE, 0.08, 5);
  const isSolid = (x: number, y: number, z: number): boolean => grid.get(x, y, z) !== 0;
  const next = numbers(11);
  let met = 0;
  for (let ray = 0; ray < 1000; ray++) {
    const angle = next() * 2 * Math.PI;
    const origin: Cell = [4.5 + 20 * Math.cos(angle), next() * 24 - 8, 4 + 20 * Math.sin(angle)];
    const goal: Cell = [next() * 9, next() * 7, next() * 8];
    const direction: Cell = [goal[0] - origin[0], goal[1] - origin[1], goal[2] - origin[2]];
    const expected = slowly(isSolid, box, origin, direction);
    expect(pick(isSolid, box, origin, direction)).toEqual(expected);
    met += Number(expected !== null);
  }
  expect(met).toBeGreaterThan(100);
});

const whole = wholeOf([4, 4, 4]);

test.each([
  ["from above", [1.5, 9, 2.5], [0, -1, 0], { cell: [1, 3, 2], face: [0, 1, 0] }],
  ["from the left", [-3, 0.5, 0.5], [1, 0, 0], { cell: [0, 0, 0], face: [-1, 0, 0] }],
  ["away from it", [-3, 0.5, 0.5], [-1, 0, 0], null],
  ["past it", [-3, 4.5, 0.5], [1, 0, 0], null],
  ["along its side, just outside", [-3, 4, 0.5], [1, 0, 0], null],
  ["from within", [1.5, 1.5, 1.5], [0, 0, -2], { cell: [1, 1, 1], face: [0, 0, 1] }],
] as const)("a full box, %s", (_how, origin, direction, expected) => {
  expect(pick(() => true, whole, origin, direction)).toEqual(expected);
});

test("from within air the walk starts where the eye is", () => {
  expect(pick((x) => x === 3 || x === 0, whole, [1.5, 1.5, 1.5], [1, 0.01, 0])).toEqual({
    cell: [3, 1, 1],
    face: [-1, 0, 0],
  });
});

test("nothing solid is never met", () => {
  expect(pick(() => false, whole, [-1, -1, -1], [1, 1.1, 1.2])).toBeNull();
});
