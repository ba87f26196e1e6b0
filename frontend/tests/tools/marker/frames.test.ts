import { describe, expect, test } from "vitest";
import { FrameTable } from "../../../src/tools/marker/frames";
import { frame, seconds } from "../../../src/tools/marker/units";
import { rows } from "../../make";

const cut = (value: number): number => Math.floor(value * 1e6) / 1e6;

const CLIPS = {
  "30 fps": new FrameTable({ time_base: [1, 15360], deltas: [[512, 9000]] }, 9000),
  "29.97 fps": new FrameTable({ time_base: [1001, 30000], deltas: [[1, 600]] }, 600),
  milliseconds: new FrameTable(
    {
      time_base: [1, 1000],
      deltas: rows("33,2 34,1 33,2 34,1"),
    },
    6,
  ),
  variable: new FrameTable(
    {
      time_base: [1, 90000],
      deltas: rows("3000,3 9000,1 1500,2 45000,1 3003,4"),
    },
    11,
  ),
};

describe.each(Object.entries(CLIPS))("frame table of %s", (_name, table) => {
  test("every frame is found again from its start, cut to microseconds, and from its middle", () => {
    for (let i = 0; i < table.frames; i += 1) {
      const at = frame(i);
      expect(table.at(table.middle(at))).toBe(i);
      expect(table.at(seconds(cut(table.start(at))))).toBe(i);
      expect(table.nearest(seconds(cut(table.start(at))))).toBe(i);
      expect(table.nearest(table.start(at))).toBe(i);
    }
  });

  test("the middle lies inside the frame", () => {
    for (let i = 0; i < table.frames; i += 1) {
      const at = frame(i);
      expect(table.middle(at)).toBeGreaterThan(table.start(at));
      expect(table.middle(at)).toBeLessThan(table.start(at) + table.length(at));
    }
  });

  test("outside there is the first and the last", () => {
    expect(table.at(seconds(-1))).toBe(0);
    expect(table.at(seconds(1e6))).toBe(table.last);
    expect(table.nearest(seconds(1e6))).toBe(table.last);
  });
});

test("times of a variable clip follow its table, not a rate", () => {
  const table = CLIPS.variable;
  expect(table.duration).toBeCloseTo((3 * 3000 + 9000 + 2 * 1500 + 45000 + 4 * 3003) / 90000, 9);
  expect(table.start(frame(4))).toBeCloseTo(18000 / 90000, 9);
  expect(table.at(seconds(0.65))).toBe(6);
  expect(table.length(frame(6))).toBeCloseTo(0.5, 9);
});

test("a step in time always moves, and stops at the ends", () => {
  const table = CLIPS.variable;
  expect(table.away(frame(6), seconds(0.1))).toBe(7);
  expect(table.away(frame(7), seconds(-0.1))).toBe(6);
  expect(table.away(frame(0), seconds(-1))).toBe(0);
  expect(table.away(table.last, seconds(1))).toBe(table.last);
  expect(CLIPS["30 fps"].away(frame(373), seconds(1))).toBe(403);
  expect(CLIPS["30 fps"].away(frame(373), seconds(-1))).toBe(343);
});

test.each([
  ["too few", { time_base: [1, 30] as [number, number], deltas: [[1, 4]] as [number, number][] }, 5],
  ["too many", { time_base: [1, 30] as [number, number], deltas: [[1, 6]] as [number, number][] }, 5],
  ["standing still", { time_base: [1, 30] as [number, number], deltas: [[0, 5]] as [number, number][] }, 5],
  ["no ticks", { time_base: [0, 30] as [number, number], deltas: [[1, 5]] as [number, number][] }, 5],
  ["empty", { time_base: [1, 30] as [number, number], deltas: [] }, 0],
])("a table with %s is refused", (_name, data, frames) =>
  expect(() => new FrameTable(data, frames)).toThrow(RangeError),
);
