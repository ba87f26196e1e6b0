import { expect, test } from "vitest";
import { basisOf, dot, eyeOf, framing, orbit, pan, zoom, type Camera } from "../../src/world/camera";
import { type Cell } from "../../src/world/frame";
import { Grid } from "../../src/world/grid";
import { matrixOf, placeOf, rayOf } from "../../src/world/projection";
import { filled } from "./make";

const camera: Camera = { target: [5, 4, 3], yaw: 25, pitch: -35, distance: 20 };

function expectClose(seen: readonly number[], expected: readonly number[]): void {
  expect(seen).toHaveLength(expected.length);
  seen.forEach((one, index) => expect(one).toBeCloseTo(expected[index] as number, 4));
}

test("looking along +z, left is +x and up is up", () => {
  const { right, up, forward } = basisOf({ yaw: 0, pitch: 0 });
  expectClose(right, [-1, 0, 0]);
  expectClose(up, [0, 1, 0]);
  expectClose(forward, [0, 0, 1]);
});

test("the eye lies behind the target, and above it where the camera looks down", () => {
  expectClose(eyeOf({ target: [1, 2, 3], yaw: 0, pitch: 0, distance: 5 }), [1, 2, -2]);
  expect(eyeOf(camera)[1]).toBeGreaterThan(4);
});

test.each([
  ["the whole size", [17, 13, 17], undefined],
  ["a flat scene", [64, 64, 64], filled([64, 64, 64], [0, 0, 0], [63, 2, 63], 8)],
  ["a thing in a corner", [256, 256, 256], filled([256, 256, 256], [250, 250, 0], [255, 255, 3], 8)],
  ["a grid without blocks", [5, 6, 7], new Grid([5, 6, 7])],
] as const)("%s is seen whole, in wide panes and tall ones", (_what, size, grid) => {
  const seen = framing(size, grid);
  const { low, high } = grid?.extent() ?? {
    low: [0, 0, 0] as Cell,
    high: [size[0] - 1, size[1] - 1, size[2] - 1] as Cell,
  };
  for (const aspect of [0.4, 1, 2.5]) {
    const places = Array.from({ length: 8 }, (_, bits) =>
      placeOf(
        seen,
        aspect,
        [0, 1, 2].map((axis) =>
          bits & (1 << axis) ? (high[axis] as number) + 1 : (low[axis] as number),
        ) as unknown as Cell,
      ),
    );
    for (const place of places) {
      expect(place?.x).toBeGreaterThan(0);
      expect(place?.x).toBeLessThan(1);
      expect(place?.y).toBeGreaterThan(0);
      expect(place?.y).toBeLessThan(1);
    }
    // And not from too far: it spans a good part of the shorter side.
    const spread = (axis: "x" | "y"): number =>
      Math.max(...places.map((place) => place?.[axis] ?? 0)) - Math.min(...places.map((place) => place?.[axis] ?? 0));
    expect(Math.max(spread("x") * Math.max(aspect, 1), spread("y") * Math.max(1 / aspect, 1))).toBeGreaterThan(0.6);
  }
});

test("turning stops short of straight up and down, and goes round", () => {
  expect(orbit(camera, 0, -200).pitch).toBe(-89);
  expect(orbit(camera, 0, 200).pitch).toBe(89);
  expect(orbit(camera, -30, 0).yaw).toBe(355);
  expect(orbit(camera, 360, 0).yaw).toBe(25);
});

test("sliding moves the target in the picture's plane, as far as said", () => {
  const moved = pan(camera, 3, -4);
  const reach = moved.target.map((one, axis) => one - (camera.target[axis] as number)) as unknown as Cell;
  const { right, up, forward } = basisOf(camera);
  expect(dot(reach, right)).toBeCloseTo(3);
  expect(dot(reach, up)).toBeCloseTo(-4);
  expect(dot(reach, forward)).toBeCloseTo(0);
});

test.each([
  [2, 10],
  [0.5, 40],
  [1e9, 1.5],
  [1e-9, 1500],
])("going nearer by %d leaves %d blocks", (factor, distance) => {
  expect(zoom(camera, factor).distance).toBe(distance);
});

test("the target is in the middle of the pane, and what lies behind the eye nowhere", () => {
  expectClose(Object.values(placeOf(camera, 1.7, camera.target) ?? {}), [0.5, 0.5, 20]);
  const eye = eyeOf(camera);
  const { forward } = basisOf(camera);
  expect(placeOf(camera, 1, [eye[0] - forward[0], eye[1] - forward[1], eye[2] - forward[2]])).toBeNull();
});

test.each([0.5, 1, 2.4])("the matrix, the place of a point and the ray through it agree (aspect %d)", (aspect) => {
  const point: Cell = [7.25, 2.5, 6];
  const place = placeOf(camera, aspect, point);
  if (!place) throw new Error("the point is in front of the eye");
  const m = matrixOf(camera, aspect, [10, 10, 10], 2);
  const clip = [0, 1, 2, 3].map((row) =>
    [...point, 1].reduce((sum, one, column) => sum + one * (m[column * 4 + row] as number), 0),
  );
  const [x, y, z, w] = clip as [number, number, number, number];
  expectClose([(1 + x / w) / 2, (1 - y / w) / 2, w], [place.x, place.y, place.depth]);
  expect(Math.abs(z / w)).toBeLessThan(1);
  const { origin, direction } = rayOf(camera, aspect, place.x, place.y);
  const length = (point[0] - origin[0]) / direction[0];
  expectClose(
    direction.map((one, axis) => (origin[axis] as number) + one * length),
    point,
  );
});
