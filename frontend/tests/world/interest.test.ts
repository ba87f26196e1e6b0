import { expect, test } from "vitest";
import { Grid } from "../../src/world/grid";
import { groundOf } from "../../src/world/ground";
import { interestOf } from "../../src/world/interest";
import { wholeOf, type Scene } from "../../src/world/frame";
import { box, GRASS, RED, scene } from "../tools/voxels/make";

const MEADOW = box([0, 0, 0], [31, 1, 31], GRASS);
const interest = ({ size, blocks }: Scene, poses: Parameters<typeof interestOf>[2] = []) => {
  const grid = Grid.of({ size, blocks });
  return interestOf(grid, groundOf(grid), poses);
};

test("the ground beside a thing is cut away", () => {
  const of = scene([32, 8, 32], [...MEADOW, ...box([10, 2, 12], [12, 4, 13], RED)]);
  expect(interest(of)).toEqual({ low: [8, 0, 10], high: [14, 7, 15] });
});

test("a hole in the ground is a thing, and figures are kept", () => {
  const holed = MEADOW.filter(([x, y, z]) => !(x === 20 && y === 1 && z === 20));
  const of = scene([32, 8, 32], [...holed, [10, 2, 12, RED]]);
  expect(interest(of)).toEqual({ low: [8, 0, 10], high: [22, 7, 22] });
  const pose = { x: 5, y: 2, z: 25, pitch: 0, yaw: 0 };
  expect(interest(of, [pose, null])).toEqual({ low: [3, 0, 10], high: [22, 7, 27] });
});

test("nothing is cut where it is not worth it, or where there is no ground", () => {
  const size = [32, 8, 32] as const;
  expect(interest(scene([...size], MEADOW))).toEqual(wholeOf([...size]));
  expect(interest(scene([...size], [...MEADOW, [1, 2, 1, RED], [30, 2, 30, RED]]))).toEqual(wholeOf([...size]));
  expect(interest(scene([...size], [[4, 4, 4, RED]]))).toEqual(wholeOf([...size]));
});
