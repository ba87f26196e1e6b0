import { expect, test } from "vitest";
import { cellOf, indexOf, wholeOf, type Cell } from "../../src/world/frame";
import { depthKey } from "../../src/world/canvas2d";
import { pick } from "../../src/world/pick";
import { numbers } from "./make";

test.each<[string, Cell]>([
  ["from outside", [11.3, 9.2, -6.4]],
  ["from straight before a side", [2.5, 3.5, -9]],
  ["from within", [2.5, 2.5, 3.5]],
])("%s, whatever covers another cell is drawn later", (_where, eye) => {
  const size: Cell = [6, 6, 6];
  const cells = Array.from({ length: 216 }, (_, index) => cellOf(size, index));
  const next = numbers(4);
  let compared = 0;
  for (let ray = 0; ray < 300; ray++) {
    const goal: Cell = [next() * 6, next() * 6, next() * 6];
    const direction: Cell = [goal[0] - eye[0], goal[1] - eye[1], goal[2] - eye[2]];
    // The cells along a ray, from the eye on: each is met when those before it are taken away.
    const taken = new Set<number>();
    let last = Infinity;
    for (;;) {
      const met = pick((x, y, z) => !taken.has(indexOf(size, x, y, z)), wholeOf(size), eye, direction);
      if (!met) break;
      taken.add(indexOf(size, ...met.cell));
      const key = depthKey(met.cell, eye);
      // Met later: farther away, so drawn earlier, so of a greater key.
      if (last !== Infinity) {
        expect(key).toBeGreaterThan(last);
        compared++;
      }
      last = key;
    }
  }
  expect(compared).toBeGreaterThan(300);
  expect(new Set(cells.map((cell) => depthKey(cell, [-1, -1, -1]))).size).toBe(216);
});
