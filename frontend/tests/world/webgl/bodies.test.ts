import { expect, test } from "vitest";
import { agentBody, BODY_WIDTH, playerBody } from "../../../src/world/webgl/bodies";
import { dashed, edgesOf, sightOf } from "../../../src/world/strokes";

const pose = { x: 4, y: 2, z: 6, pitch: 0, yaw: 90 };

const rows = (body: Float32Array): number[][] =>
  Array.from({ length: body.length / BODY_WIDTH }, (_, row) => [
    ...body.subarray(row * BODY_WIDTH, (row + 1) * BODY_WIDTH),
  ]);

test.each([
  ["the agent", agentBody],
  ["the player", playerBody],
])("%s stands on its feet, two blocks high, about the middle of its cell", (_who, bodyOf) => {
  const places = rows(bodyOf(pose));
  const range = (axis: number): [number, number] => [
    Math.min(...places.map((row) => row[axis] as number)),
    Math.max(...places.map((row) => row[axis] as number)),
  ];
  expect(range(1)[0]).toBeCloseTo(2);
  expect(range(1)[1]).toBeGreaterThan(3.85);
  expect(range(1)[1]).toBeLessThan(4.1);
  for (const axis of [0, 2]) {
    const [low, high] = range(axis);
    expect(Math.abs((low + high) / 2 - (axis === 0 ? 4.5 : 6.5))).toBeLessThan(0.1);
    expect(high - low).toBeLessThan(1.2);
  }
});

test.each([
  ["the agent", agentBody],
  ["the player", playerBody],
])("the triangles of %s run to the left, seen from where they look", (_who, bodyOf) => {
  const corners = rows(bodyOf({ ...pose, pitch: 20 }));
  for (let at = 0; at < corners.length; at += 3) {
    const [p, q, r] = corners.slice(at, at + 3) as [number[], number[], number[]];
    const side = (to: number[], axis: number): number => (to[axis] as number) - (p[axis] as number);
    const turn = [0, 1, 2].map((axis) => {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      return side(q, u) * side(r, v) - side(q, v) * side(r, u);
    });
    const normal = [0, 1, 2].map((axis) => (p[3 + axis] as number) + (q[3 + axis] as number) + (r[3 + axis] as number));
    // Where a profile meets its axis a triangle has no area.
    if (Math.hypot(...turn) > 1e-6)
      expect(turn.reduce((sum, one, axis) => sum + one * (normal[axis] as number), 0)).toBeGreaterThan(0);
  }
});

test("the gaze starts in front of the eyes and goes where the figure looks", () => {
  const strokes = sightOf(pose);
  const [first, last] = [strokes[0]?.[0], strokes.at(-1)?.[1]];
  for (const [point, x] of [
    [first, 5],
    [last, 9],
  ] as const) {
    expect(point?.[0]).toBeCloseTo(x);
    expect(point?.[1]).toBeCloseTo(3.6);
    expect(point?.[2]).toBeCloseTo(6.5);
  }
});

test("a box has twelve edges, a little outside of its blocks", () => {
  const edges = edgesOf({ low: [1, 1, 1], high: [2, 3, 1] }, 0.5);
  expect(edges).toHaveLength(12);
  const places = edges.flat();
  expect(
    [0, 1, 2].map((axis) => [
      Math.min(...places.map((one) => one[axis] as number)),
      Math.max(...places.map((one) => one[axis] as number)),
    ]),
  ).toEqual([
    [0.5, 3.5],
    [0.5, 4.5],
    [0.5, 2.5],
  ]);
});

test("dashes begin and end a stroke", () => {
  const dashes = dashed(
    [
      [
        [0, 0, 0],
        [5, 0, 0],
      ],
    ],
    3,
  );
  expect(dashes.map((dash) => dash.map(([x]) => x).join(" to "))).toEqual(["0 to 1", "2 to 3", "4 to 5"]);
  expect(dashes.flat().every(([, y, z]) => y === 0 && z === 0)).toBe(true);
});
