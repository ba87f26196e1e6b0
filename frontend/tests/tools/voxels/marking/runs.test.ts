import { expect, test } from "vitest";
import { fromRuns, toRuns } from "../../../../src/tools/voxels/marking/runs";

test.each([
  [[], ""],
  [[0], "0"],
  [[5, 3, 4], "3+3"],
  [[35, 36, 100], "z+2 2s"],
])("%j is written as %j, and read again", (cells, text) => {
  expect(toRuns(cells)).toBe(text);
  expect(fromRuns(text, 1000)).toEqual(new Set(cells));
});

test("any set comes back the same, the largest too", () => {
  const scattered = new Set(Array.from({ length: 3000 }, (_, i) => (i * i * 7919) % 262_144));
  expect(fromRuns(toRuns(scattered), 262_144)).toEqual(scattered);
  const whole = new Set(Array.from({ length: 262_144 }, (_, i) => i));
  expect(toRuns(whole)).toBe("0+5m9s");
  expect(fromRuns("0+5m9s", 262_144).size).toBe(262_144);
});

test.each([undefined, null, 7, "", "no runs!", "-1", "1+", "5+2 x+y+z", "zzzzzz+1"])(
  "of %j only what lies in the scene is taken",
  (stored) => {
    for (const cell of fromRuns(stored, 7)) expect(cell).toBeLessThan(7);
  },
);

test("a run that leaves the scene is left out, one that just fits is taken", () => {
  expect(fromRuns("5+3", 7)).toEqual(new Set());
  expect(fromRuns("5+2", 7)).toEqual(new Set([5, 6]));
});
