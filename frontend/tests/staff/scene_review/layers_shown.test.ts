import { expect, test } from "vitest";
import { layersShown } from "../../../src/staff/scene_review/layers_shown";
import type { Masks } from "../../../src/staff/scene_review/layers";
import { initial } from "../../../src/staff/scene_review/state";

const MASKS: Masks = {
  layers: [
    { id: "consensus", name: "Consensus", mask: new Set([1, 2]) },
    { id: "answer-1", name: "Answer 1 of ab12", mask: new Set([2, 3, 4]) },
    { id: "answer-2", name: "Answer 2 of cd34", mask: new Set() },
  ],
  steps: [
    { above: 0, up_to: 20, mask: new Set([4]) },
    { above: 20, up_to: 40, mask: new Set() },
    { above: 40, up_to: 60, mask: new Set([3]) },
    { above: 60, up_to: 80, mask: new Set() },
    { above: 80, up_to: 100, mask: new Set([1, 2]) },
  ],
};
const LOOKING = initial(MASKS);
const never = (): boolean => false;

test("the confidence map has five styles, the highest share first, each with its count", () => {
  const { layers, summary } = layersShown(MASKS, LOOKING, never);
  expect(layers.map(({ style, words, cells }) => [style, words, cells.length])).toEqual([
    ["share-5", "80–100 %", 2],
    ["share-4", "60–80 %", 0],
    ["share-3", "40–60 %", 1],
    ["share-2", "20–40 %", 0],
    ["share-1", "up to 20 %", 1],
  ]);
  expect(summary).toMatch(/^4 voxels marked by anybody/);
});

test("two masks differ in styles, counts and words", () => {
  const { layers, summary } = layersShown(MASKS, { ...LOOKING, view: "pair" }, never);
  expect(layers.map(({ style, cells }) => [style, cells])).toEqual([
    ["both", [2]],
    ["only-a", [1]],
    ["only-b", [3, 4]],
  ]);
  expect(summary).toBe("IoU 25 %: 1 in both, 1 only in A, 2 only in B.");
});

test("marks in the air have another style than marks on blocks", () => {
  const { layers, summary } = layersShown(MASKS, { ...LOOKING, view: "one", one: "answer-1" }, (cell) => cell === 4);
  expect(layers.map(({ style, cells }) => [style, cells])).toEqual([
    ["marked", [2, 3]],
    ["marked-air", [4]],
  ]);
  expect(summary).toBe("Answer 1 of ab12: 3 voxels.");
});

test("an empty mask says that it is not there", () => {
  expect(layersShown(MASKS, { ...LOOKING, view: "one", one: "answer-2" }, never).summary).toBe(
    "Answer 2 of cd34: it is not there.",
  );
});
