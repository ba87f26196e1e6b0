import { expect, test } from "vitest";
import { reduceMarking, type MarkAction } from "../../../../src/tools/voxels/marking/marking";
import { Preview } from "../../../../src/tools/voxels/marking/preview";
import { at, LAWN, marked } from "../make";

const cursor = (...cell: [number, number, number]): MarkAction => ({ type: "cursor", at: cell });
const whole: MarkAction = { type: "tool", tool: "whole" };

test("it shows what the tool would change: no more than is not marked yet, or than is", () => {
  const half = { marks: new Set(at(LAWN, [1, 1, 1])) };
  expect([...new Preview().of(marked(LAWN, half, whole, cursor(1, 2, 1)))].sort((a, b) => a - b)).toEqual(
    at(LAWN, [1, 2, 1], [1, 3, 1]),
  );
  expect(new Preview().of(marked(LAWN, half, whole, { type: "act", act: "unmark" }, cursor(1, 2, 1)))).toEqual(
    at(LAWN, [1, 1, 1]),
  );
});

test("it shows nothing where the tool takes nothing, or nothing is pointed at", () => {
  expect(new Preview().of(marked(LAWN, {}, cursor(3, 3, 3)))).toEqual([]);
  expect(new Preview().of(marked(LAWN, {}, { type: "aim", aim: null }))).toEqual([]);
});

test("it is the same list while it stays on one thing, and another when anything counts that changed", () => {
  const preview = new Preview();
  const low = marked(LAWN, {}, whole, cursor(1, 1, 1));
  const first = preview.of(low);
  expect(preview.of(reduceMarking(low, cursor(1, 3, 1)))).toBe(first);
  const high = reduceMarking(low, cursor(1, 3, 1));
  expect(preview.of(reduceMarking(high, { type: "camera", camera: { ...high.camera, yaw: 1 } }))).toBe(first);
  expect(preview.of(reduceMarking(high, { type: "tool", tool: "one" }))).toEqual(at(LAWN, [1, 3, 1]));
  expect(preview.of(reduceMarking(high, cursor(4, 1, 4)))).toEqual(at(LAWN, [4, 1, 4]));
});

test("a place outside of the scene is not taken for one within, whatever its number", () => {
  const preview = new Preview();
  const lawn = marked(LAWN, {}, { type: "tool", tool: "same" }, cursor(0, 0, 1));
  expect(preview.of(lawn)).not.toEqual([]);
  // One step beside the scene: counted on, its number would be that of a block of the lawn, 1, 0, 0.
  const outside = reduceMarking(lawn, { type: "aim", aim: { cell: [0, 4, 6], face: [0, 1, 0] } });
  expect(preview.of(outside)).toEqual([]);
});
