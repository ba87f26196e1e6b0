import { expect, test } from "vitest";
import { awayOf, cursorAfter } from "../../../../src/tools/voxels/camera/cursor_steps";
import { basisOf, dot } from "../../../../src/world/camera";

test.each([
  [0, [0, 0, 1]],
  [44, [0, 0, 1]],
  [46, [1, 0, 0]],
  [90, [1, 0, 0]],
  [180, [0, 0, -1]],
  [270, [-1, 0, 0]],
  [-46, [-1, 0, 0]],
])("looking along yaw %i, away is %j", (yaw, away) => {
  expect(awayOf({ yaw }).map((value) => value + 0)).toEqual(away);
});

test.each([0, 30, 60, 100, 135.5, 200, 250, 300, 350])(
  "at yaw %d each arrow leads where it points in the picture",
  (yaw) => {
    const { right, forward } = basisOf({ yaw, pitch: 0 });
    const step = (by: Partial<Record<"right" | "up" | "away", number>>) =>
      cursorAfter([0, 0, 0], { yaw }, { right: 0, up: 0, away: 0, ...by });
    expect(dot(step({ right: 1 }), right)).toBeGreaterThan(0.7);
    expect(dot(step({ right: -1 }), right)).toBeLessThan(-0.7);
    expect(dot(step({ away: 1 }), forward)).toBeGreaterThan(0.7);
    expect(step({ up: 1 }).map((value) => value + 0)).toEqual([0, 1, 0]);
  },
);
