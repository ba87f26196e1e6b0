import { expect, test, vi } from "vitest";
import { createStore } from "../../../src/work/store";
import { runner } from "../../../src/tools/voxels/commands";
import { sliceOf } from "../../../src/tools/voxels/marking/store_slice";
import { begin, reduceMarking, type MarkAction } from "../../../src/tools/voxels/marking/marking";
import { movedSide } from "../../../src/tools/voxels/view/cut";
import { framing } from "../../../src/world/camera";
import { LAWN } from "./make";

function page(isLooking = false, ...actions: MarkAction[]) {
  const store = createStore(reduceMarking, actions.reduce(reduceMarking, begin(LAWN, {}, isLooking)));
  const around = { submit: vi.fn(), help: vi.fn(), absent: vi.fn(), openPlane: vi.fn(), focusPicture: vi.fn() };
  return { now: store.get, run: runner(sliceOf(store), around), around };
}

const UP = { do: "walk", by: { right: 0, up: 1, away: 0 } } as const;

test("the first key shows the cursor where it is, the next ones walk it", () => {
  const { now, run } = page();
  const { cursor } = now();
  run(UP);
  expect(now()).toMatchObject({ by: "keys", cursor });
  run(UP);
  expect(now().cursor).toEqual([cursor[0], cursor[1] + 1, cursor[2]]);
  run({ do: "home" });
  expect(now().cursor).toEqual([2, 2, 2]);
});

test("Enter never takes what is not shown: without cursor or pointer it shows the cursor", () => {
  const { now, run } = page(false, { type: "tool", tool: "brush" });
  run({ do: "apply" });
  expect(now()).toMatchObject({ by: "keys", remark: null });
  const there = page(false, { type: "tool", tool: "one" }, { type: "cursor", at: [1, 1, 1] });
  there.run({ do: "apply" });
  expect(there.now().marks.size).toBe(1);
  const aimed = page(false, { type: "aim", aim: { cell: [4, 1, 4], face: [0, 1, 0] } });
  aimed.run({ do: "apply" });
  expect(aimed.now().cursor).toEqual([4, 1, 4]);
});

test("unmark and air switch back and forth", () => {
  const { now, run } = page();
  for (const [act, target] of [
    ["unmark", "air"],
    ["mark", "blocks"],
  ] as const) {
    run({ do: "unmark" });
    run({ do: "air" });
    expect(now()).toMatchObject({ act, target });
  }
});

test("in a scene that is named, no key selects a tool or undoes anything", () => {
  const { now, run, around } = page(true);
  const before = now();
  for (const command of [
    { do: "tool", tool: "box" },
    { do: "unmark" },
    { do: "air" },
    { do: "undo" },
    { do: "clear" },
  ] as const)
    run(command);
  expect(now()).toBe(before);
  run({ do: "absent" });
  expect(around.absent).toHaveBeenCalledOnce();
});

test("turning, zooming and sliding move the camera, and the whole scene comes back into view", () => {
  const { now, run } = page();
  const { camera } = now();
  run({ do: "turn", yaw: 10, pitch: -5 });
  expect(now().camera).toMatchObject({ yaw: camera.yaw + 10, pitch: camera.pitch - 5 });
  run({ do: "zoom", factor: 2 });
  expect(now().camera.distance).toBeCloseTo(camera.distance / 2);
  run({ do: "pan", right: 1, up: 0 });
  expect(now().camera.target).not.toEqual(camera.target);
  run({ do: "reset" });
  expect(now().camera).toEqual(framing(LAWN.size, now().grid));
});

test("what is the page's own it does itself", () => {
  const { run, around } = page();
  run({ do: "submit" });
  run({ do: "help" });
  run({ do: "plane", axis: 2 });
  run({ do: "drop" });
  expect(around.submit).toHaveBeenCalledOnce();
  expect(around.help).toHaveBeenCalledOnce();
  expect(around.openPlane.mock.calls).toEqual([[2]]);
  expect(around.focusPicture).toHaveBeenCalledOnce();
});

test.each([
  ["low", 2, { low: [0, 2, 0], high: [5, 4, 5] }],
  ["low", 5, { low: [0, 5, 0], high: [5, 5, 5] }],
  ["high", 0, { low: [0, 0, 0], high: [5, 0, 5] }],
] as const)("a plane of the cut moves alone until it meets the other: %s to %i", (side, value, box) => {
  expect(movedSide({ low: [0, 1, 0], high: [5, 4, 5] }, 1, side, value)).toEqual(box);
});
