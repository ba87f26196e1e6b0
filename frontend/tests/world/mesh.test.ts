import { expect, test } from "vitest";
import { cellOf, FACES, indexOf, isWithin, wholeOf, type Box, type Cell } from "../../src/world/frame";
import { Grid } from "../../src/world/grid";
import { meshOf, MESH_WIDTH, QUAD, type Shown } from "../../src/world/mesh";
import { axesOf } from "../../src/world/faces";
import { filled, speckled } from "./make";

interface Rectangle {
  face: number;
  id: number;
  corners: Cell[];
}

function rectanglesOf(grid: Grid, shown: Shown): Rectangle[] {
  return [...grid.kept().values()].flatMap((chunk) => {
    const mesh = meshOf(grid, chunk, shown);
    return Array.from({ length: mesh.length / (4 * MESH_WIDTH) }, (_, one): Rectangle => {
      const numbers = [...mesh.subarray(one * 4 * MESH_WIDTH, (one + 1) * 4 * MESH_WIDTH)];
      const packed = numbers[3] as number;
      return {
        face: packed & 7,
        id: packed >> 5,
        corners: [0, 4, 8, 12].map((at) => numbers.slice(at, at + 3) as unknown as Cell),
      };
    });
  });
}

/** Each face of a single block that the rectangles cover, as text. */
function covered(rectangles: readonly Rectangle[]): string[] {
  return rectangles.flatMap(({ face, id, corners }) => {
    const axis = face >> 1;
    const [first, second] = axesOf(face);
    const [low, high] = [0, 1, 2].reduce<[number[], number[]]>(
      ([lows, highs], one) => {
        const along = corners.map((corner) => corner[one] as number);
        return [
          [...lows, Math.min(...along)],
          [...highs, Math.max(...along)],
        ];
      },
      [[], []],
    );
    const found: string[] = [];
    for (let u = low[first] as number; u < (high[first] as number); u++) {
      for (let v = low[second] as number; v < (high[second] as number); v++) {
        const cell = [0, 0, 0];
        cell[axis] = (low[axis] as number) - (face & 1 ? 0 : 1);
        cell[first] = u;
        cell[second] = v;
        found.push(`${cell.join()} face ${face} id ${id}`);
      }
    }
    return found;
  });
}

/** The faces that can be seen, block by block. */
function exposed(grid: Grid, { box, hidden }: Shown): string[] {
  const idAt = (x: number, y: number, z: number): number =>
    isWithin(box, x, y, z) && !hidden?.has(indexOf(grid.size, x, y, z)) ? grid.get(x, y, z) : 0;
  const found: string[] = [];
  for (let index = 0; index < grid.size[0] * grid.size[1] * grid.size[2]; index++) {
    const [x, y, z] = cellOf(grid.size, index);
    const id = idAt(x, y, z);
    if (id)
      FACES.forEach(
        ([dx, dy, dz], face) => idAt(x + dx, y + dy, z + dz) || found.push(`${x},${y},${z} face ${face} id ${id}`),
      );
  }
  return found;
}

const SIZE = [20, 18, 34] as const;
const part: Box = { low: [3, 2, 15], high: [18, 16, 31] };
const third = new Set(Array.from({ length: 20 * 18 * 34 }, (_, index) => index).filter((index) => index % 3 === 0));

test.each([
  ["a thin scene", 0.03, null, wholeOf(SIZE)],
  ["a dense scene", 0.6, null, wholeOf(SIZE)],
  ["a full scene", 1, null, wholeOf(SIZE)],
  ["what a cut leaves", 0.8, null, part],
  ["what is left where cells are hidden", 0.8, third, wholeOf(SIZE)],
  ["both", 0.8, third, part],
] as const)("of %s exactly the exposed faces are covered, each once", (_what, share, hidden, box) => {
  const grid = speckled(SIZE, share, 21);
  const shown = { box, hidden };
  expect(covered(rectanglesOf(grid, shown)).sort()).toEqual(exposed(grid, shown).sort());
});

test("the triangles of each rectangle run to the left, seen from outside", () => {
  const grid = speckled([6, 6, 6], 0.3, 2);
  for (const { face, corners } of rectanglesOf(grid, { box: wholeOf(grid.size), hidden: null })) {
    for (const [a, b, c] of [QUAD.slice(0, 3), QUAD.slice(3)] as unknown as [number, number, number][]) {
      const [p, q, r] = [corners[a], corners[b], corners[c]] as [Cell, Cell, Cell];
      const axis = face >> 1;
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3] as [0, 1];
      const turn = (q[u] - p[u]) * (r[v] - p[v]) - (q[v] - p[v]) * (r[u] - p[u]);
      expect(Math.sign(turn)).toBe(FACES[face]?.[axis]);
    }
  }
});

test("a full chunk of one kind takes six rectangles", () => {
  const grid = filled([16, 16, 16], [0, 0, 0], [15, 15, 15], 8);
  expect(rectanglesOf(grid, { box: wholeOf(grid.size), hidden: null })).toHaveLength(6);
});

test("two kinds side by side are not merged", () => {
  const grid = filled([2, 1, 1], [0, 0, 0], [0, 0, 0], 8);
  grid.set(1, 0, 0, 9);
  expect(rectanglesOf(grid, { box: wholeOf(grid.size), hidden: null })).toHaveLength(10);
});

test("at the far end of the widest scene nothing overflows", () => {
  const grid = new Grid([256, 256, 256]);
  grid.set(255, 255, 255, 69);
  const corners = rectanglesOf(grid, { box: wholeOf(grid.size), hidden: null }).flatMap((one) => one.corners.flat());
  expect([Math.min(...corners), Math.max(...corners)]).toEqual([255, 256]);
  expect(rectanglesOf(grid, { box: wholeOf(grid.size), hidden: null })[0]?.id).toBe(69);
});
