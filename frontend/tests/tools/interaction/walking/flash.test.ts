import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Flash } from "../../../../src/tools/interaction/walking/flash";
import type { Box, Cell } from "../../../../src/world/frame";
import type { Stage } from "../../../../src/world/stage";

const SIZE: Cell = [64, 64, 64];
const BOX: Box = { low: [3, 4, 5], high: [4, 4, 5] };

let framed: Box | null = null;
let lit: number[] = [];
let changes = 0;

const stage = {
  outline: (box: Box | null) => (framed = box),
  paint: (_layer: string, _look: string, cells: Iterable<number>) => {
    const now = [...cells];
    if (now.length !== lit.length) changes++;
    lit = now;
  },
} as unknown as Stage;

beforeEach(() => {
  vi.useFakeTimers();
  [framed, lit, changes] = [null, [], 0];
});
afterEach(() => vi.useRealTimers());

test("a box that is pointed at lights up a few times and stays framed", () => {
  new Flash(stage, SIZE, () => false).show(BOX);
  expect([framed, lit.length]).toEqual([BOX, 2]);
  vi.runAllTimers();
  expect([framed, lit.length]).toEqual([BOX, 0]);
  expect(changes).toBe(10);
});

test("never more than three times a second", () => {
  new Flash(stage, SIZE, () => false).show(BOX);
  vi.advanceTimersByTime(1000);
  expect(changes).toBeLessThanOrEqual(6);
});

test("where motion is unwelcome it is lit and stays so", () => {
  new Flash(stage, SIZE, () => true).show(BOX);
  vi.runAllTimers();
  expect([framed, lit.length, changes]).toEqual([BOX, 2, 1]);
});

test("another box takes its place, and none leaves nothing behind", () => {
  const flash = new Flash(stage, SIZE, () => false);
  flash.show(BOX);
  flash.show({ low: [0, 0, 0], high: [1, 1, 1] });
  expect(lit).toHaveLength(8);
  flash.show(null);
  vi.runAllTimers();
  expect([framed, lit]).toEqual([null, []]);
});

test("what of the box lies outside of the world is not lit, and a huge one is framed only", () => {
  const flash = new Flash(stage, SIZE, () => false);
  flash.show({ low: [-5, 63, 63], high: [0, 70, 63] });
  expect(lit).toHaveLength(1);
  flash.show({ low: [0, 0, 0], high: [63, 63, 63] });
  expect(lit).toHaveLength(0);
  flash.show({ low: [70, 70, 70], high: [80, 80, 80] });
  expect(lit).toHaveLength(0);
});
