/** First person asks the renderer for a camera that is an eye, and small changes drawn as small ones. */

import { describe, expect, it, test } from "vitest";
import { eyeOf, FIELD, framing, halfField, orbit, cameraAtEyes, zoom } from "../../../../src/world/camera";
import type { Box, Cell } from "../../../../src/world/frame";
import { matrixOf, placeOf, rayOf } from "../../../../src/world/projection";
import { pixelRectOf } from "../../../../src/world/damage";
import { extentOf, sightOf } from "../../../../src/world/strokes";
import { agentBody, BODY_WIDTH } from "../../../../src/world/webgl/bodies";
import { numbers } from "../../../world/make";

const SIZE: Cell = [64, 64, 64];
const VIEW = [800, 600] as const;
const ASPECT = VIEW[0] / VIEW[1];
const EYE: Cell = [30.5, 17.6, 31.5];

test("in first person the camera is at the eye, with a wider view than from outside", () => {
  const camera = cameraAtEyes(EYE, 30, -10);
  expect(eyeOf(camera)).toEqual(EYE);
  expect(halfField(camera)).toBeGreaterThan(1.5 * halfField(framing(SIZE)));
  expect(halfField({})).toBe(halfField({ field: FIELD }));
});

test("the middle of the view is where the eye looks, and the ray through a place goes to what is seen there", () => {
  const camera = cameraAtEyes(EYE, 90, 0);
  const ahead = placeOf(camera, ASPECT, [40, EYE[1], EYE[2]]);
  expect([ahead?.x, ahead?.y]).toEqual([expect.closeTo(0.5, 9), expect.closeTo(0.5, 9)]);
  const goal: Cell = [36, 19, 33];
  const place = placeOf(camera, ASPECT, goal);
  const { origin, direction } = rayOf(camera, ASPECT, place?.x ?? 0, place?.y ?? 0);
  const times = (goal[0] - origin[0]) / direction[0];
  direction.forEach((one, axis) => expect((origin[axis] as number) + one * times).toBeCloseTo(goal[axis] as number, 6));
});

test("turned and zoomed, a camera keeps its field", () => {
  expect(zoom(orbit(cameraAtEyes(EYE, 0, 0), 40, 10), 1).field).toBe(cameraAtEyes(EYE, 0, 0).field);
  expect("field" in framing(SIZE)).toBe(false);
});

describe("the part of the view that boxes take, seen from among them", () => {
  const matrix = matrixOf(cameraAtEyes(EYE, 0, 0), ASPECT, SIZE, 8);
  const part = (...boxes: Box[]): unknown => pixelRectOf(matrix, boxes, VIEW, 0, 0);
  const whole = { x: 0, y: 0, width: 800, height: 600 };
  const ahead: Box = { low: [30, 17, 40], high: [30, 17, 40] };

  it("is nothing of what lies behind the eye, or beside the view however far back it goes", () => {
    expect(part({ low: [20, 10, 0], high: [40, 30, 20] })).toBeNull();
    expect(part({ low: [60, 10, 20], high: [63, 30, 40] })).toBeNull();
    expect(part({ low: [0, 60, 20], high: [63, 63, 34] })).toBeNull();
  });

  it("is not made larger by those", () => {
    expect(part(ahead)).toMatchObject({ width: expect.any(Number) });
    expect(part({ low: [20, 10, 0], high: [40, 30, 20] }, ahead)).toEqual(part(ahead));
  });

  it("is all of it where one that is seen reaches behind the eye", () => {
    expect(part({ low: [0, 0, 0], high: [63, 15, 63] })).toEqual(whole);
    expect(part(ahead, { low: [28, 16, 28], high: [33, 19, 33] })).toEqual(whole);
  });

  it("has every point of a box in it that is in the view", () => {
    const next = numbers(8);
    let seen = 0;
    for (let turn = 0; turn < 400; turn++) {
      const camera = cameraAtEyes(EYE, next() * 360, next() * 120 - 60);
      const low = EYE.map((one) => Math.floor(one + next() * 12 - 6)) as unknown as Cell;
      const box: Box = { low, high: low.map((one) => one + Math.floor(next() * 4)) as unknown as Cell };
      const found = pixelRectOf(matrixOf(camera, ASPECT, SIZE, 8), [box], VIEW, 0, 0);
      for (let one = 0; one < 20; one++) {
        const point = box.low.map((at, axis) => at + next() * ((box.high[axis] as number) + 1 - at)) as unknown as Cell;
        const place = placeOf(camera, ASPECT, point);
        if (!place || place.depth < 0.01 || place.x < 0 || place.x > 1 || place.y < 0 || place.y > 1) continue;
        const [x, y] = [place.x * VIEW[0], (1 - place.y) * VIEW[1]];
        expect(
          found &&
            x >= found.x - 1e-3 &&
            x <= found.x + found.width + 1e-3 &&
            y >= found.y - 1e-3 &&
            y <= found.y + found.height + 1e-3,
        ).toBe(true);
        seen++;
      }
    }
    expect(seen).toBeGreaterThan(300);
  });
});

test.each([0, 45, 133, 270])("the extent of a figure that looks to %i° holds its body and its gaze", (yaw) => {
  const pose = { x: 5, y: 3, z: 7, pitch: -20, yaw };
  const { low, high } = extentOf(pose);
  const body = agentBody(pose);
  const points = [
    ...sightOf(pose).flat(),
    ...Array.from({ length: body.length / BODY_WIDTH }, (_, row) => [
      ...body.subarray(row * BODY_WIDTH, row * BODY_WIDTH + 3),
    ]),
  ];
  for (const point of points) {
    point.forEach((one, axis) => {
      expect(one).toBeGreaterThanOrEqual(low[axis] as number);
      expect(one).toBeLessThanOrEqual((high[axis] as number) + 1);
    });
  }
});
