import { describe, expect, it } from "vitest";
import { framing, orbit } from "../../src/world/camera";
import { indexOf, type Cell } from "../../src/world/frame";
import { matrixOf, placeOf } from "../../src/world/projection";
import { boxOfChange, overlap, pixelRectOf } from "../../src/world/damage";

const SIZE: Cell = [16, 12, 20];
const at = (x: number, y: number, z: number): number => indexOf(SIZE, x, y, z);

describe("the box of a change", () => {
  it("holds the cells that are in one of the two only", () => {
    const before = [at(1, 1, 1), at(2, 2, 2), at(9, 9, 9)];
    expect(boxOfChange(SIZE, before, before)).toBeNull();
    expect(boxOfChange(SIZE, before, [...before].reverse())).toBeNull();
    expect(boxOfChange(SIZE, before, before.slice(1))).toEqual({ low: [1, 1, 1], high: [1, 1, 1] });
    expect(boxOfChange(SIZE, before, [at(2, 2, 2), at(3, 0, 12), at(9, 9, 9)])).toEqual({
      low: [1, 0, 1],
      high: [3, 1, 12],
    });
    expect(boxOfChange(SIZE, [], [at(15, 11, 19)])).toEqual({ low: [15, 11, 19], high: [15, 11, 19] });
    expect(boxOfChange(SIZE, [], [])).toBeNull();
  });
});

describe("the part of a view that boxes take", () => {
  const view = [800, 600] as const;
  const whole = { x: 0, y: 0, width: 800, height: 600 };

  it("has every corner of each of its blocks in it, and little more", () => {
    for (let turn = 0; turn < 12; turn++) {
      const camera = orbit(framing(SIZE), turn * 31, (turn % 5) * 9 - 20);
      const matrix = matrixOf(camera, view[0] / view[1], SIZE, 8);
      const box = { low: [turn, 3, 2 * (turn % 4)] as const, high: [turn + 2, 5, 2 * (turn % 4) + 1] as const };
      const part = pixelRectOf(matrix, [box], view, 0, 0);
      if (!part) throw new Error("it is in the picture");
      let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
      for (const x of [box.low[0], box.high[0] + 1])
        for (const y of [box.low[1], box.high[1] + 1])
          for (const z of [box.low[2], box.high[2] + 1]) {
            const place = placeOf(camera, view[0] / view[1], [x, y, z]);
            if (!place) throw new Error("it is before the eye");
            [left, right] = [Math.min(left, place.x * view[0]), Math.max(right, place.x * view[0])];
            [bottom, top] = [Math.min(bottom, (1 - place.y) * view[1]), Math.max(top, (1 - place.y) * view[1])];
          }
      expect(part.x).toBe(Math.floor(left + 1e-3));
      expect(part.y).toBe(Math.floor(bottom + 1e-3));
      expect(part.x + part.width).toBe(Math.ceil(right - 1e-3));
      expect(part.y + part.height).toBe(Math.ceil(top - 1e-3));
    }
  });

  it("is cut off at the view, and nothing beside it", () => {
    const camera = { ...framing(SIZE), distance: 6 };
    const matrix = matrixOf(camera, view[0] / view[1], SIZE, 8);
    const part = pixelRectOf(matrix, [{ low: [0, 0, 0], high: [15, 11, 19] }], view, 0, 0);
    expect(part).toEqual(whole);
    const level = { target: [8, 6, 10] as Cell, yaw: 0, pitch: 0, distance: 30 };
    const far = pixelRectOf(
      matrixOf(level, view[0] / view[1], [256, 12, 20], 8),
      [{ low: [200, 0, 10], high: [210, 2, 12] }],
      view,
      0,
      0,
    );
    expect(far).toBeNull();
  });

  it("is all of the view where something reaches behind the eye", () => {
    const inside = { target: [8, 6, 10] as Cell, yaw: 0, pitch: 0, distance: 1 };
    expect(
      pixelRectOf(matrixOf(inside, view[0] / view[1], SIZE, 8), [{ low: [7, 5, 0], high: [8, 6, 19] }], view, 0, 0),
    ).toEqual(whole);
  });

  it("grows by its borders", () => {
    const camera = framing(SIZE);
    const matrix = matrixOf(camera, view[0] / view[1], SIZE, 8);
    const box = { low: [8, 5, 9] as Cell, high: [8, 5, 9] as Cell };
    const [plain, wide] = [pixelRectOf(matrix, [box], view, 0, 0), pixelRectOf(matrix, [box], view, 0, 7)];
    const [around, grown] = [
      pixelRectOf(matrix, [box], view, 1, 0),
      pixelRectOf(matrix, [{ low: [7, 4, 8], high: [9, 6, 10] }], view, 0, 0),
    ];
    expect(wide).toEqual(
      plain && { x: plain.x - 7, y: plain.y - 7, width: plain.width + 14, height: plain.height + 14 },
    );
    expect(around).toEqual(grown);
  });
});

it.each([
  [{ x: 0, y: 0, width: 10, height: 10 }, true],
  [{ x: 9, y: 9, width: 1, height: 1 }, true],
  [{ x: 10, y: 0, width: 5, height: 5 }, false],
  [{ x: 0, y: 10, width: 5, height: 5 }, false],
])("parts overlap where they share a pixel: %j", (other, isShared) => {
  expect(overlap({ x: 0, y: 0, width: 10, height: 10 }, other)).toBe(isShared);
});
