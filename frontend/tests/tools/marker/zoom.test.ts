import { expect, test } from "vitest";
import { MOST, moved, stepped, transformOf, WHOLE, type Zoom } from "../../../src/tools/marker/zoom";

/** The place of the picture that lies at a share of its frame. */
const under = ({ times, x, y }: Zoom, spot: { x: number; y: number }) => [
  x + (spot.x - 0.5) / times,
  y + (spot.y - 0.5) / times,
];

test("the place under the pointer stays there", () => {
  const spot = { x: 0.3, y: 0.8 };
  const near = stepped(WHOLE, 1, spot);
  const nearer = stepped(near, 1, spot);
  for (const zoom of [near, nearer]) {
    const [x, y] = under(zoom, spot);
    expect(x).toBeCloseTo(0.3);
    expect(y).toBeCloseTo(0.8);
  }
});

test("it goes from the whole picture to a limit and back", () => {
  let zoom = WHOLE;
  for (let step = 0; step < 20; step += 1) zoom = stepped(zoom, 1);
  expect(zoom.times).toBe(MOST);
  for (let step = 0; step < 20; step += 1) zoom = stepped(zoom, -1);
  expect(zoom).toEqual(WHOLE);
  expect(stepped(stepped(WHOLE, 1), 0)).toEqual(WHOLE);
});

test("a drag moves the picture and never beyond its rim", () => {
  const near = stepped(WHOLE, 1);
  expect(moved(near, 0.1, 0).x).toBeLessThan(near.x);
  const far = moved(near, 10, -10);
  expect([far.x - 0.5 / far.times, far.y + 0.5 / far.times]).toEqual([expect.closeTo(0), expect.closeTo(1)]);
  expect(moved(WHOLE, 1, 1)).toEqual(WHOLE);
});

test("the whole picture has no transform", () => {
  expect(transformOf(WHOLE)).toBe("none");
  expect(transformOf({ times: 2, x: 0.25, y: 0.5 })).toBe("scale(2.0000) translate(25.000%, 0.000%)");
});
