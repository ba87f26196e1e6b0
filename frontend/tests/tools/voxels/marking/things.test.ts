import { describe, expect, test } from "vitest";
import { begin, reduceMarking, shownMarks, type Marking } from "../../../../src/tools/voxels/marking/marking";
import { readingsAt, thingsOf } from "../../../../src/tools/voxels/marking/things";
import { inOrder, standOf, thingAfter } from "../../../../src/tools/voxels/marking/walk";
import { cellOf, type Cell } from "../../../../src/world/frame";
import { box, GRASS, LAWN, RED, scene, YELLOW } from "../make";

const LAWN_16 = box([0, 0, 0], [15, 0, 15], GRASS);
/** A ring of 20 blocks that stands upright: its pieces meet at edges only. */
const RING = [
  ...[-1, 0, 1].flatMap((along) => [
    [5 + along, 1, 5],
    [5 + along, 9, 5],
    [1, 5 + along, 5],
    [9, 5 + along, 5],
  ]),
  ...[
    [3, 2, 5],
    [7, 2, 5],
    [2, 3, 5],
    [8, 3, 5],
    [2, 7, 5],
    [8, 7, 5],
    [3, 8, 5],
    [7, 8, 5],
  ],
].map(([x, y, z]) => [x, y, z, RED] as [number, number, number, number]);
const STANDING = scene([16, 12, 16], [...LAWN_16, ...RING]);
const sizes = (of: ReturnType<typeof begin>, at: Cell): number[] => readingsAt(of, at).map((thing) => thing.length);

test("a ring of 20 blocks is one thing, though its pieces only meet at edges", () => {
  expect(RING).toHaveLength(20);
  expect(sizes(begin(STANDING), [5, 1, 5])).toEqual([20]);
  expect(thingsOf(begin(STANDING)).all).toHaveLength(1);
});

describe("two solid cubes that meet at an edge", () => {
  const CUBES = scene(
    [16, 8, 16],
    [...LAWN_16, ...box([2, 1, 2], [3, 2, 3], YELLOW), ...box([4, 1, 4], [5, 2, 5], YELLOW)],
  );

  test("are two things, and one in the next larger reading", () => {
    expect(sizes(begin(CUBES), [2, 1, 2])).toEqual([8, 16]);
  });

  test("a second use takes the larger one and says so; a third changes nothing", () => {
    const use = { type: "use", at: [2, 1, 2] } as const;
    const once = reduceMarking(begin(CUBES), use);
    expect([shownMarks(once).size, once.remark]).toEqual([8, "larger_offered"]);
    const twice = reduceMarking(once, use);
    expect([shownMarks(twice).size, twice.remark]).toEqual([16, "larger_taken"]);
    const thrice = reduceMarking(twice, use);
    expect(shownMarks(thrice)).toBe(shownMarks(twice));
  });

  test("unmarking takes off what one use had taken", () => {
    const use = { type: "use", at: [2, 1, 2] } as const;
    const marked = [use, use].reduce<Marking>(reduceMarking, begin(CUBES));
    const off = reduceMarking(reduceMarking(marked, { type: "act", act: "unmark" }), use);
    expect(shownMarks(off).size).toBe(0);
  });
});

test("thin pieces of two materials that meet at an edge stay apart at first", () => {
  const two = scene(
    [8, 8, 8],
    [
      [1, 1, 1, RED],
      [2, 2, 1, YELLOW],
    ],
  );
  expect(sizes(begin(two), [1, 1, 1])).toEqual([1, 2]);
});

test("pieces with a gap of one block are the last reading", () => {
  const row = scene(
    [12, 4, 4],
    [
      [1, 1, 1, RED],
      [3, 1, 1, RED],
      [8, 1, 1, RED],
    ],
  );
  expect(sizes(begin(row), [1, 1, 1])).toEqual([1, 2]);
});

test("the ground belongs to no thing", () => {
  expect(readingsAt(begin(LAWN), [3, 0, 3])).toEqual([]);
});

test("Tab goes from left to right through all things and ends", () => {
  const of = begin(LAWN);
  const things = inOrder(of, of.camera);
  expect(things.map((thing) => thing.length).sort()).toEqual([1, 3]);
  const first = thingAfter(things, null, 1);
  const second = thingAfter(things, first, 1);
  expect([first, second]).toEqual(things);
  expect(thingAfter(things, second, 1)).toBeNull();
  expect(thingAfter(things, second, -1)).toEqual(first);
  expect(thingAfter(things, first, -1)).toBeNull();
  expect(thingAfter([], null, 1)).toBeNull();
});

test("Enter marks the thing that Tab went to, whatever the tool is, and the tool stays", () => {
  const begun = reduceMarking(begin(LAWN), { type: "tool", tool: "one" });
  for (const thing of thingsOf(begun).all) {
    const there = reduceMarking(begun, { type: "thing", thing });
    const done = reduceMarking(there, { type: "use", at: there.cursor });
    expect([...shownMarks(done)].sort((a, b) => a - b)).toEqual([...thing].sort((a, b) => a - b));
    expect(done.tool).toBe("one");
    // An arrow key leaves the thing, so the tool counts again.
    const beside = reduceMarking(there, { type: "cursor", at: there.cursor });
    expect(shownMarks(reduceMarking(beside, { type: "use", at: there.cursor })).size).toBe(1);
  }
});

test("the cursor stands on top of a thing", () => {
  const of = begin(LAWN);
  const tower = thingsOf(of).all.find((thing) => thing.length === 3) ?? [];
  expect(standOf(of.grid.size, tower)).toEqual([1, 3, 1]);
  expect(tower.map((index) => cellOf(of.grid.size, index))).toContainEqual([1, 3, 1]);
});
