import { describe, expect, test } from "vitest";
import { compare, readMasks, type Masks } from "../../../src/staff/scene_review/layers";
import { initial, reduce, viewsOf, type SceneView } from "../../../src/staff/scene_review/state";
import { rows } from "../../make";

const SIZE = [4, 4, 4] as const;

function masks(...ids: string[]): Masks {
  return readMasks({
    scene: { size: SIZE, blocks: [], agent: null, player: null },
    still: "",
    phrase: "the tower",
    layers: ids.map((id, place) => ({ id, name: id, cells: `${place}+3`, count: 3 })),
    steps: [{ above: 80, up_to: 100, ...(ids.length > 0 ? { cells: "2", count: 1 } : { cells: "", count: 0 }) }],
  });
}

function view(changes: Partial<SceneView> = {}): SceneView {
  return { ...initial(masks("consensus", "answer-1", "answer-2")), ...changes };
}

test("runs of the page become sets of cells", () => {
  const { layers, steps } = masks("consensus", "answer-1");
  expect(layers.map(({ mask }) => [...mask])).toEqual(rows("0,1,2 1,2,3"));
  expect(steps.map(({ mask }) => [...mask])).toEqual([[2]]);
});

test.each([
  [[1, 2], [2, 3], { onlyA: [1], both: [2], onlyB: [3], iou: 1 / 3 }],
  [[1, 2], [], { onlyA: [1, 2], both: [], onlyB: [], iou: 0 }],
  [[], [], { onlyA: [], both: [], onlyB: [], iou: 1 }],
])("two masks %j and %j are told apart", (a, b, found) => {
  expect(compare(new Set(a), new Set(b))).toEqual(found);
});

describe("the views that are offered", () => {
  test("with answers it is the confidence map first", () => {
    expect(viewsOf(masks("consensus", "answer-1"))).toEqual(["shares", "pair", "one"]);
    const begun = { view: "shares", one: "consensus", a: "consensus", b: "answer-1" };
    expect(initial(masks("consensus", "answer-1"))).toMatchObject(begun);
  });

  test("of one mask nothing can be compared", () => {
    expect(viewsOf(masks("truth-1"))).toEqual(["shares", "one"]);
  });

  test("without masks there is only the scene", () => {
    expect(viewsOf(masks())).toEqual([]);
    expect(initial(masks())).toMatchObject({ view: "one", one: "" });
  });
});

describe("comparing a mask with the one that is shown", () => {
  const pair = { view: "pair", a: "consensus", b: "answer-1" } as const;

  test.each<[string, Partial<SceneView>, string, string, string]>([
    ["the mask that is shown alone becomes A", { view: "one", one: "answer-1" }, "answer-2", "answer-1", "answer-2"],
    ["in a comparison A stays", pair, "answer-2", "consensus", "answer-2"],
    ["a mask is not compared with itself but with the other one", pair, "consensus", "answer-1", "consensus"],
  ])("%s", (_, shown, id, a, b) => {
    expect(reduce(view(shown), { type: "against", id })).toMatchObject({ view: "pair", a, b });
  });

  test("what was left out comes back when it is chosen again", () => {
    const without = reduce(reduce(view(), { type: "style", style: "share-1" }), { type: "style", style: "both" });
    expect(without.off).toEqual(["share-1", "both"]);
    expect(reduce(without, { type: "style", style: "share-1" }).off).toEqual(["both"]);
  });

  test("swapped twice all is as before", () => {
    const before = view({ view: "pair" });
    const once = reduce(before, { type: "swap" });
    expect([once.a, once.b]).toEqual([before.b, before.a]);
    expect(reduce(once, { type: "swap" })).toEqual(before);
  });
});
