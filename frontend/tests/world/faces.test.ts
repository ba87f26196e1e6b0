import { expect, test } from "vitest";
import { cellOf, FACES, indexOf, wholeOf, type Cell } from "../../src/world/frame";
import { MESH_WIDTH } from "../../src/world/mesh";
import { AGAINST, ON, ROUND, facesOf } from "../../src/world/faces";
import { speckled } from "./make";
import { rows } from "../make";

const SIZE = [6, 5, 7] as const;

interface Seen {
  cell: Cell;
  face: number;
  sides: number[];
}

function seenOf(
  cells: readonly Cell[],
  shown = { box: wholeOf(SIZE), hidden: null as ReadonlySet<number> | null },
): Seen[] {
  const corners = facesOf(
    SIZE,
    Uint32Array.from(cells, (cell) => indexOf(SIZE, ...cell)),
    shown,
  );
  return Array.from({ length: corners.length / (4 * MESH_WIDTH) }, (_, one) => {
    const part = [...corners.subarray(one * 16, one * 16 + 16)];
    const packed = part[3] as number;
    const face = packed & 7;
    const low = [0, 1, 2].map((axis) => Math.min(...[0, 4, 8, 12].map((at) => part[at + axis] as number)));
    // The face at the high end lies one further than its cell.
    if (!(face & 1)) low[face >> 1] = (low[face >> 1] as number) - 1;
    return { cell: low as unknown as Cell, face, sides: [0, 1, 2, 3].map((side) => (packed >> (5 + 2 * side)) & 3) };
  });
}

test("a single voxel has six faces with four edges each", () => {
  const seen = seenOf([[2, 2, 2]]);
  expect(seen.map(({ face }) => face)).toEqual([0, 1, 2, 3, 4, 5]);
  for (const { cell, sides } of seen) {
    expect(cell).toEqual([2, 2, 2]);
    expect(sides).toEqual([ROUND, ROUND, ROUND, ROUND]);
  }
});

test("of a speckled set exactly the faces towards other cells are there", () => {
  const grid = speckled(SIZE, 0.4, 9);
  const cells: Cell[] = [];
  grid.each((x, y, z) => cells.push([x, y, z]));
  const expected = cells.flatMap((cell) =>
    FACES.flatMap((step, face) =>
      grid.get(cell[0] + step[0], cell[1] + step[1], cell[2] + step[2]) ? [] : [`${cell.join()} ${face}`],
    ),
  );
  expect(
    seenOf(cells)
      .map(({ cell, face }) => `${cell.join()} ${face}`)
      .sort(),
  ).toEqual(expected.sort());
});

test("beside a neighbour a face goes on, and up against a step it ends", () => {
  // A stair along x: the top of the lower one goes on to the left and ends at the upper one.
  const seen = seenOf(rows("1,1,1 2,1,1 3,1,1 3,2,1"));
  const top = seen.find(({ cell, face }) => face === 2 && cell.join() === "2,1,1");
  expect(top?.sides).toEqual([ON, AGAINST, ROUND, ROUND]);
});

test("what is cut away or hidden is left out, and closes what stays", () => {
  const cells: Cell[] = rows("1,1,1 2,1,1 3,1,1");
  expect(
    seenOf(cells, { box: { low: [2, 0, 0], high: [5, 4, 6] }, hidden: new Set([indexOf(SIZE, 3, 1, 1)]) }),
  ).toHaveLength(6);
});

test("a cell named twice is drawn once", () => {
  expect(seenOf(rows("1,1,1 1,1,1"))).toHaveLength(6);
});

test("all cells of a scene make its outside", () => {
  const all = Array.from({ length: 6 * 5 * 7 }, (_, index) => cellOf(SIZE, index));
  expect(seenOf(all)).toHaveLength(2 * (6 * 5 + 5 * 7 + 6 * 7));
});
