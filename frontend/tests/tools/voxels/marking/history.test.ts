import { expect, test } from "vitest";
import {
  apply,
  inverse,
  MOST_STEP_CELLS,
  MOST_STEPS,
  NO_HISTORY,
  remember,
  stepOf,
  type History,
} from "../../../../src/tools/voxels/marking/history";

test("a step is what changes, and its inverse takes it back", () => {
  const before = new Set([1, 2]);
  const step = stepOf(before, [2, 3], true);
  expect(step).toEqual({ on: [3], off: [] });
  const after = apply(before, step!);
  expect(after).toEqual(new Set([1, 2, 3]));
  expect(apply(after, inverse(step!))).toEqual(before);
  expect(stepOf(before, [1, 2], true)).toBeNull();
  expect(stepOf(before, [7], false)).toBeNull();
});

test("what belongs to one stroke is one step, unless it goes the other way", () => {
  const one = remember(NO_HISTORY, { on: [1], off: [] });
  expect(remember(one, { on: [2], off: [] }, true).past).toEqual([{ on: [1, 2], off: [] }]);
  expect(remember(one, { on: [2], off: [] }).past).toHaveLength(2);
  expect(remember(one, { on: [], off: [1] }, true).past).toHaveLength(2);
});

test("a new step forgets what was undone", () => {
  expect(remember({ past: [], future: [{ on: [1], off: [] }] }, { on: [2], off: [] }).future).toEqual([]);
});

test("steps are kept up to a number, the oldest going first", () => {
  let history: History = NO_HISTORY;
  for (let i = 0; i <= MOST_STEPS; i += 1) history = remember(history, { on: [i], off: [] });
  expect(history.past).toHaveLength(MOST_STEPS);
  expect(history.past[0]?.on).toEqual([1]);
});

test("large steps are kept up to so many cells, the latest always", () => {
  const large = { on: Array.from({ length: MOST_STEP_CELLS / 2 }, (_, i) => i), off: [] };
  const three = [large, large, large].reduce((history: History, step) => remember(history, step), NO_HISTORY);
  expect(three.past).toHaveLength(2);
  const huge = { on: Array.from({ length: MOST_STEP_CELLS + 1 }, (_, i) => i), off: [] };
  expect(remember(three, huge).past).toEqual([huge]);
});
