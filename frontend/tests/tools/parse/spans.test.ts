import { expect, test } from "vitest";
import { runsOfSpan, spanOf } from "../../../src/tools/parse/form_editor/spans";
import { beginStroke, painted, runsOf, said, soundRuns, strokeRuns } from "../../../src/tools/parse/spans";
import { rows } from "../../make";

test("words become runs, neighbours one run, in order", () => {
  expect(runsOf([5, 1, 2, 1, 4])).toEqual(rows("1,2 4,5"));
  expect(runsOf([])).toEqual([]);
});

test("painting marks or unmarks, in either direction, and may split a run", () => {
  expect(painted([[0, 1]], 5, 3, true)).toEqual(rows("0,1 3,5"));
  expect(painted([[0, 5]], 2, 3, false)).toEqual(rows("0,1 4,5"));
});

test("a stroke that begins on a marked word unmarks, and what it left again is as before", () => {
  const on = beginStroke([[7, 8]], 2);
  expect(strokeRuns({ ...on, to: 4 })).toEqual(rows("2,4 7,8"));
  expect(strokeRuns({ ...on, to: 2 })).toEqual(rows("2,2 7,8"));
  expect(strokeRuns({ ...beginStroke([[2, 4]], 3), to: 3 })).toEqual(rows("2,2 4,4"));
});

test.each([
  [null, []],
  ["0-3", []],
  [rows("0,1 9,9"), [[0, 1]]],
  [rows("1.5,2 -1,2 3,3,3 4,4"), [[4, 4]]],
])("of the stored runs %j these are sound", (stored, sound) => {
  expect(soundRuns(stored, 5)).toEqual(sound);
});

test("marked words read with what lies between them left out", () => {
  expect(said(["build", "a", "red", "house"], rows("0,0 2,3"))).toBe("build … red house");
});

test("a form spells one run plainly and several as a list, and both are read", () => {
  expect(spanOf([[1, 2]])).toEqual([0, [1, 2]]);
  expect(spanOf(rows("1,2 4,4"))).toEqual([0, rows("1,2 4,4")]);
  expect(spanOf([])).toEqual([0, []]);
  for (const runs of [[[1, 2]], rows("1,2 4,4"), []] as [number, number][][])
    expect(runsOfSpan(spanOf(runs), 9)).toEqual(runs);
});
