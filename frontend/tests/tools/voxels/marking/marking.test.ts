import { expect, test } from "vitest";
import {
  heldAt,
  isMarked,
  middleOf,
  outOfSight,
  pointed,
  shownMarks,
  type MarkAction,
} from "../../../../src/tools/voxels/marking/marking";
import { at, box, LAWN, marked, RED, scene } from "../make";

const TOWER = at(LAWN, [1, 1, 1], [1, 2, 1], [1, 3, 1]);
const toolOn = (...cell: [number, number, number]): MarkAction => ({ type: "use", at: cell });
const whole: MarkAction = { type: "tool", tool: "whole" };

test("a tool marks, in the other way it unmarks, and each stroke is one step to undo and redo", () => {
  const tower = marked(LAWN, {}, whole, toolOn(1, 1, 1));
  expect([...tower.marks].sort((a, b) => a - b)).toEqual(TOWER);
  const unmarked = (...then: MarkAction[]) =>
    marked(LAWN, { marks: tower.marks }, { type: "act", act: "unmark" }, toolOn(1, 3, 1), ...then).marks;
  expect([...unmarked()]).toHaveLength(2);
  expect(unmarked({ type: "undo" })).toEqual(tower.marks);
  expect(unmarked({ type: "undo" }, { type: "redo" })).toEqual(unmarked());
});

test("undoing and redoing beyond the ends changes nothing, and says so", () => {
  expect(marked(LAWN, {}, { type: "undo" })).toMatchObject({ remark: "nothing_to_undo", past: [] });
  expect(marked(LAWN, {}, toolOn(1, 1, 1), { type: "redo" })).toMatchObject({ remark: "nothing_to_redo" });
});

test("a stroke that changes nothing is no step", () => {
  expect(marked(LAWN, {}, toolOn(1, 1, 1), toolOn(1, 1, 1)).past).toHaveLength(1);
});

const brush: MarkAction = { type: "brush", size: 1 };
const draw = (begins: boolean, ...over: [number, number, number][]): MarkAction => ({ type: "draw", over, begins });

test("a brush that passes over several places is one stroke; where there is nothing it says nothing", () => {
  const strokes = [draw(true, [1, 1, 1]), draw(false, [3, 3, 3], [1, 2, 1]), draw(false, [1, 3, 1], [3, 4, 3])];
  const drawn = marked(LAWN, {}, brush, ...strokes);
  expect([drawn.past.length, drawn.marks.size, drawn.remark]).toEqual([1, 3, null]);
  expect(marked(LAWN, {}, brush, toolOn(3, 3, 3)).remark).toBe("not_a_block");
});

test("a stroke of the brush never joins one before it, wherever it begins, nor one that was undone", () => {
  const first = [brush, draw(true, [1, 1, 1])];
  expect(marked(LAWN, {}, ...first, draw(true, [3, 3, 3]), draw(false, [4, 1, 4])).past).toHaveLength(2);
  expect(marked(LAWN, {}, ...first, draw(true), draw(false, [4, 1, 4])).past).toHaveLength(2);
  const undone = marked(LAWN, {}, ...first, draw(true, [1, 2, 1]), { type: "undo" }, draw(false, [4, 1, 4]));
  expect(undone.past.map(({ on }) => on)).toEqual([at(LAWN, [1, 1, 1]), at(LAWN, [4, 1, 4])]);
});

test("a box takes two corners; undo and Escape drop the first", () => {
  const first = marked(LAWN, {}, { type: "tool", tool: "box" }, toolOn(1, 1, 1));
  expect(first).toMatchObject({ corner: [1, 1, 1], remark: "corner_set" });
  expect(first.marks.size).toBe(0);
  const both = marked(LAWN, {}, { type: "tool", tool: "box" }, toolOn(1, 1, 1), toolOn(4, 3, 4));
  expect(both.marks.size).toBe(4);
  expect(both.corner).toBeNull();
  for (const type of ["undo", "drop_corner"] as const)
    expect(marked(LAWN, {}, { type: "tool", tool: "box" }, toolOn(1, 1, 1), { type }).corner).toBeNull();
});

test("another tool, another kind and another cut forget the first corner", () => {
  const corner: MarkAction = { type: "corner", at: [1, 1, 1] };
  for (const action of [
    whole,
    { type: "target", target: "air" },
    { type: "cut", cut: { low: [0, 0, 0], high: [1, 1, 1] } },
  ] as const) {
    expect(marked(LAWN, {}, { type: "tool", tool: "box" }, corner, action).corner).toBeNull();
  }
});

test("clearing can be undone, and clearing nothing says so", () => {
  const marks = new Set(TOWER);
  const cleared = marked(LAWN, { marks }, { type: "clear" });
  expect(cleared.marks.size).toBe(0);
  expect(marked(LAWN, { marks }, { type: "clear" }, { type: "undo" }).marks).toEqual(marks);
  expect(marked(LAWN, {}, { type: "clear" }).remark).toBe("nothing_to_clear");
});

test("“it is not there” puts marks away without losing them", () => {
  expect(marked(LAWN, {}, { type: "absent" })).toMatchObject({ isAbsent: true, remark: null });
  const marks = new Set(TOWER);
  const away = marked(LAWN, { marks }, { type: "absent" });
  expect(away).toMatchObject({ isAbsent: true, remark: "marks_kept", marks });
  expect(shownMarks(away).size).toBe(0);
  for (const type of ["absent", "undo"] as const) {
    const back = marked(LAWN, { marks }, { type: "absent" }, { type });
    expect(back).toMatchObject({ isAbsent: false, remark: "marks_back" });
    expect(shownMarks(back)).toEqual(marks);
  }
  const more = marked(LAWN, { marks }, { type: "absent" }, toolOn(4, 1, 4));
  expect(shownMarks(more).size).toBe(4);
  expect(more.remark).toBe("marks_back");
});

test("marks that are put away are not unmarked unseen, and a brush over nothing leaves them away", () => {
  const marks = new Set(TOWER);
  const back = marked(LAWN, { marks }, { type: "absent" }, { type: "act", act: "unmark" }, toolOn(1, 1, 1));
  expect(back).toMatchObject({ isAbsent: false, remark: "marks_back", marks });
  expect(marked(LAWN, { marks }, { type: "absent" }, brush, draw(true, [3, 3, 3])).isAbsent).toBe(true);
});

test("in air a tool takes hold of the cell before the face that is met", () => {
  const aim = { cell: [1, 3, 1], face: [0, 1, 0] } as const;
  const air = marked(LAWN, {}, { type: "target", target: "air" }, { type: "aim", aim });
  expect(pointed(air)).toEqual([1, 4, 1]);
  expect(heldAt({ target: "blocks" }, aim)).toEqual([1, 3, 1]);
  expect(marked(LAWN, {}, { type: "target", target: "air" }, { type: "use", at: [1, 4, 1] }).marks).toEqual(
    new Set(at(LAWN, [1, 4, 1])),
  );
});

test("the cursor stays within the cut, and leads until the pointer does", () => {
  expect(marked(LAWN, {}, toolOn(1, 2, 1)).cursor).toEqual([1, 2, 1]);
  const walked = marked(LAWN, {}, { type: "cursor", at: [9, -1, 3] });
  expect(walked).toMatchObject({ cursor: [5, 0, 3], by: "keys" });
  expect(pointed(walked)).toEqual([5, 0, 3]);
  const cut: MarkAction = { type: "cut", cut: { low: [0, 0, 0], high: [2, 2, 2] } };
  expect(marked(LAWN, {}, { type: "cursor", at: [5, 4, 5] }, cut).cursor).toEqual([2, 2, 2]);
  expect(pointed(marked(LAWN, {}, { type: "cursor", at: [1, 1, 1] }, { type: "aim", aim: null }))).toBeNull();
});

test("marks that the cut or the hidden ground covers are counted, for they are handed in", () => {
  const marks = new Set([...TOWER, ...at(LAWN, [0, 0, 0])]);
  expect(outOfSight(marked(LAWN, { marks }))).toBe(0);
  expect(outOfSight(marked(LAWN, { marks }, { type: "ground" }))).toBe(1);
  expect(outOfSight(marked(LAWN, { marks }, { type: "cut", cut: { low: [0, 0, 0], high: [5, 1, 5] } }))).toBe(2);
  expect(outOfSight(marked(LAWN, { marks }, { type: "absent" }))).toBe(0);
});

test("more than a scene may have blocks cannot be marked", () => {
  const wide = scene([66, 64, 64], box([0, 0, 0], [1, 0, 0], RED));
  const full = marked(wide, { marks: new Set(Array.from({ length: 262_144 }, (_, i) => i + 64)) }, toolOn(0, 0, 0));
  expect(full.remark).toBe("too_many_marks");
  expect(isMarked(full, [0, 0, 0])).toBe(false);
});

test("the middle of a box is one of its cells", () => {
  expect(middleOf({ low: [0, 0, 0], high: [5, 4, 0] })).toEqual([2, 2, 0]);
});
