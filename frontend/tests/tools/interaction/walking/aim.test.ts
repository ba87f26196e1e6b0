import { describe, expect, it, test } from "vitest";
import { aimed, placeBeside, REACH } from "../../../../src/tools/interaction/walking/aim";
import { turned, walkerAt, type Walker } from "../../../../src/tools/interaction/walking/motion";
import type { Cell } from "../../../../src/world/frame";
import { filled } from "../../../world/make";

const SIZE: Cell = [16, 12, 16];
const grid = filled(SIZE, [0, 0, 0], [15, 2, 15], 8);
filled(SIZE, [8, 3, 12], [8, 5, 12], 4, grid);
const isBlock = (x: number, y: number, z: number): boolean => grid.get(x, y, z) !== 0;
const stood = (z: number, pitch = 0): Walker => walkerAt({ x: 8, y: 3, z, pitch, yaw: 0 });

test.each<[string, Walker, { cell: Cell; face: Cell } | null]>([
  ["a post ahead", stood(8), { cell: [8, 4, 12], face: [0, 0, -1] }],
  ["the ground below", stood(8, -89), { cell: [8, 2, 8], face: [0, 1, 0] }],
  ["the sky", stood(8, 60), null],
  ["a post within reach by a hair", stood(12 - 0.5 - REACH + 0.001), { cell: [8, 4, 12], face: [0, 0, -1] }],
  ["a post a hair too far away", stood(12 - 0.5 - REACH - 0.001), null],
  ["out of the world", { ...stood(0), yaw: 180 }, null],
])("looking at %s", (_what, walker, expected) => {
  expect(aimed(walker, SIZE, isBlock)).toEqual(expected);
});

test("where the eyes are inside of a block, it is the one", () => {
  expect(aimed({ ...stood(12), yaw: 0 }, SIZE, isBlock)?.cell).toEqual([8, 4, 12]);
});

describe("a block is laid", () => {
  const post = { cell: [8, 4, 12] as Cell, face: [0, 0, -1] as Cell };

  it("against the side that is met", () => {
    expect(placeBeside(post, SIZE, isBlock, [stood(8)])).toEqual([8, 4, 11]);
  });

  it.each<[string, Walker]>([
    ["the worker stands", stood(11)],
    ["the worker half stands", stood(10.4)],
    ["the agent stands", walkerAt({ x: 8, y: 4, z: 11, pitch: 0, yaw: 90 })],
    ["the agent's head is", walkerAt({ x: 8, y: 3, z: 11, pitch: 0, yaw: 90 })],
  ])("never where %s", (_who, body) => {
    expect(placeBeside(post, SIZE, isBlock, [stood(2), body])).toBeNull();
  });

  it("under somebody's feet and over a head", () => {
    const flying = walkerAt({ x: 8, y: 5, z: 11, pitch: 0, yaw: 0 });
    const low = walkerAt({ x: 8, y: 2, z: 11, pitch: 0, yaw: 0 });
    expect(placeBeside(post, SIZE, isBlock, [flying, low])).toEqual([8, 4, 11]);
  });

  it("never out of the world, nor into another block", () => {
    expect(placeBeside({ cell: [8, 2, 0], face: [0, 0, -1] }, SIZE, isBlock, [])).toBeNull();
    expect(placeBeside({ cell: [8, 4, 12], face: [0, -1, 0] }, SIZE, isBlock, [])).toBeNull();
  });

  it("follows the view while going round, always beside the target and in the air", () => {
    for (let turn = 0; turn < 72; turn++) {
      const walker = turned(stood(9, -25), turn * 5, 0);
      const hit = aimed(walker, SIZE, isBlock);
      const at = hit && placeBeside(hit, SIZE, isBlock, [walker]);
      expect(at && isBlock(...at)).toBe(false);
    }
  });
});
