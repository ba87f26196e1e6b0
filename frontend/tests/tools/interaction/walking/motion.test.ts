import { describe, expect, it, test } from "vitest";
import type { Held } from "../../../../src/tools/interaction/walking/actions";
import {
  eyeOf,
  isIn,
  isStill,
  poseOf,
  SPEED,
  step,
  STEP_S,
  turned,
  walkerAt,
  within,
  type IsSolid,
  type Walker,
} from "../../../../src/tools/interaction/walking/motion";
import type { Cell, Pose } from "../../../../src/world/frame";
import { numbers } from "../../../world/make";
import { rows } from "../../../make";

const SIZE: Cell = [16, 12, 16];
const GROUND = 3;

const isOutside: IsSolid = (x, y, z) => x < 0 || y < 0 || z < 0 || x >= SIZE[0] || y >= SIZE[1] || z >= SIZE[2];

/** A world with flat ground up to y = 3, and these blocks. */
function blocks(...cells: readonly Cell[]): IsSolid {
  const set = new Set(cells.map((cell) => cell.join()));
  return (x, y, z) => isOutside(x, y, z) || y < GROUND || set.has(`${x},${y},${z}`);
}

const stood = (x: number, z: number, yaw = 0, y = GROUND): Walker => walkerAt({ x, y, z, pitch: 0, yaw });

/** After so many seconds with these keys held. */
function after(seconds: number, walker: Walker, keys: readonly Held[], isSolid: IsSolid = blocks()): Walker {
  const held = new Set(keys);
  let now = walker;
  for (let one = 0; one < Math.round(seconds / STEP_S); one++) now = step(now, held, STEP_S, isSolid);
  return now;
}

const placeOf = (walker: Walker): Cell => {
  const { x, y, z } = poseOf(walker);
  return [x, y, z];
};

describe("with a key held", () => {
  it.each<[Held, number, Cell]>([
    ["forward", 0, [0, 0, 1]],
    ["back", 0, [0, 0, -1]],
    ["left", 0, [1, 0, 0]],
    ["right", 0, [-1, 0, 0]],
    ["forward", 90, [1, 0, 0]],
    ["left", 90, [0, 0, -1]],
    ["forward", 180, [0, 0, -1]],
    ["up", 0, [0, 1, 0]],
    ["down", 0, [0, -1, 0]],
  ])("%s at yaw %i leads along %j", (key, yaw, along) => {
    const from = stood(8, 8, yaw, 6);
    const to = after(0.5, from, [key]);
    const gone = placeOf(to).map((one, axis) => one - (placeOf(from)[axis] as number));
    gone.forEach((one, axis) => expect(Math.sign(Math.round(one * 10))).toBe((along[axis] as number) + 0));
  });

  it("walks about four blocks a second, no faster across", () => {
    const far = ([x, , z]: Cell): number => Math.hypot(x - 4, z - 4);
    for (const keys of [["forward"], ["forward", "left"]] as const) {
      const gone = far(placeOf(after(1, stood(4, 4), keys)));
      expect(gone).toBeGreaterThan(0.9 * SPEED);
      expect(gone).toBeLessThanOrEqual(SPEED);
    }
  });

  it("walks on the level while looking up or down", () => {
    const looking = turned(stood(4, 4), 0, -80);
    expect(placeOf(after(1, looking, ["forward"]))).toEqual(placeOf(after(1, stood(4, 4), ["forward"])));
  });

  it.each<[Held, "yaw" | "pitch", number]>([
    ["turn_left", "yaw", 1],
    ["turn_right", "yaw", -1],
    ["look_up", "pitch", 1],
    ["look_down", "pitch", -1],
  ])("%s changes the %s only", (key, which, sign) => {
    const before = poseOf(stood(8, 8, 180));
    const now = poseOf(after(0.3, stood(8, 8, 180), [key]));
    expect(Math.sign(now[which] - before[which])).toBe(sign);
    expect({ ...now, [which]: before[which] }).toEqual(before);
  });

  it("opposite ones cancel out", () => {
    expect(poseOf(after(0.5, stood(8, 8), ["forward", "back", "turn_left", "turn_right"]))).toEqual(
      poseOf(stood(8, 8)),
    );
  });
});

test("let go, the body comes to rest within a third of a second, and then it is the very same object", () => {
  const moving = after(1, stood(4, 4), ["forward"]);
  const rested = after(0.35, moving, []);
  expect(isStill(rested, new Set())).toBe(true);
  expect(rested.at[2] - moving.at[2]).toBeLessThan(0.4);
  expect(step(rested, new Set(), STEP_S, blocks())).toBe(rested);
});

test("nothing falls", () => {
  expect(poseOf(after(1, stood(8, 8, 0, 7), []))).toEqual(poseOf(stood(8, 8, 0, 7)));
});

describe("blocks", () => {
  // Across the way, two high.
  const wall = blocks(
    ...Array.from({ length: 16 }, (_, x): Cell[] => [
      [x, 3, 10],
      [x, 4, 10],
    ]).flat(),
  );

  it("a wall stops a worker who walks straight at it, right before it", () => {
    const { at } = after(3, stood(8, 8), ["forward"], wall);
    expect(at[2]).toBeCloseTo(9.7, 5);
    expect(at[0]).toBeCloseTo(8.5, 5);
  });

  it("a worker who walks at a wall aslant slides along it", () => {
    const { at } = after(2, stood(4, 8, 45), ["forward"], wall);
    expect(at[2]).toBeCloseTo(9.7, 5);
    expect(at[0]).toBeGreaterThan(8);
  });

  it("a single step is climbed, with the eyes following, and walked over", () => {
    const isSolid = blocks([8, 3, 10]);
    let now = stood(8, 8);
    let highest = 0;
    for (let one = 0; one < 300; one++) {
      const next = step(now, new Set<Held>(["forward"]), STEP_S, isSolid);
      highest = Math.max(highest, eyeOf(next)[1] - eyeOf(now)[1]);
      now = next;
    }
    expect(now.at[1]).toBe(4);
    expect(now.at[2]).toBeGreaterThan(11);
    expect(eyeOf(now)[1]).toBeCloseTo(5.6);
    // Never a jump of a whole block from one picture to the next.
    expect(highest).toBeLessThan(0.1);
    expect(now.sunk).toBe(0);
  });

  it.each([
    ["two high", "8,3,10 8,4,10"],
    ["one high under a beam", "8,3,10 8,5,10"],
    ["one high, with no room above one's own head", "8,3,10 8,5,9"],
    ["at the height of the head only", "8,4,10 8,5,10"],
  ])("what is %s is not climbed", (_how, cells) => {
    const { at } = after(2, stood(8, 8), ["forward"], blocks(...rows<Cell>(cells)));
    expect(at[1]).toBe(3);
    expect(at[2]).toBeCloseTo(9.7, 5);
  });

  it("a door one wide and two high is walked through, not quite in its middle too", () => {
    const isSolid: IsSolid = (x, y, z) => blocks()(x, y, z) || (z === 10 && !(x === 8 && y < 5));
    expect(after(2, stood(8.15, 8), ["forward"], isSolid).at[2]).toBeGreaterThan(12);
  });

  it("the ground carries, a ceiling stops", () => {
    expect(after(2, stood(8, 8, 0, 6), ["down"]).at[1]).toBe(3);
    const low = after(2, stood(8, 8), ["up"], blocks([8, 7, 8]));
    expect(low.at[1]).toBeCloseTo(5.1, 5);
  });

  it("one that is built around the body lets it out, and not back in", () => {
    const isSolid = blocks([8, 3, 8], [8, 4, 8]);
    const out = after(1.5, stood(8, 8), ["forward"], isSolid);
    expect(out.at[2]).toBeGreaterThan(9.3);
    expect(after(3, out, ["back"], isSolid).at[2]).toBeCloseTo(9.3, 5);
  });
});

test.each<[Held, number, 0 | 1 | 2, number]>([
  ["forward", 0, 2, 15.7],
  ["back", 0, 2, 0.3],
  ["left", 0, 0, 15.7],
  ["right", 0, 0, 0.3],
  ["up", 0, 1, 10.1],
  ["down", 0, 1, 0],
])("%s ends at the border of the world", (key, yaw, axis, end) => {
  expect(after(6, stood(8, 8, yaw, 6), [key], isOutside).at[axis]).toBeCloseTo(end, 5);
});

test("however one runs about, no block is ever entered", () => {
  const next = numbers(3);
  const cells = Array.from({ length: 240 }, (): Cell => [
    Math.floor(next() * 16),
    3 + Math.floor(next() * 6),
    Math.floor(next() * 16),
  ]).filter(([x, y, z]) => !(x === 8 && z === 8 && y < 5));
  const isSolid = blocks(...cells);
  const inAny = (walker: Walker): boolean =>
    cells.some((cell) => isIn(walker, cell)) || walker.at.some((one, axis) => one < 0 || one > (SIZE[axis] as number));
  const KEYS: readonly Held[] = ["forward", "back", "left", "right", "up", "down", "turn_left", "turn_right"];
  let now = stood(8, 8);
  const seen = new Set<string>();
  for (let turn = 0; turn < 600; turn++) {
    const keys = KEYS.filter(() => next() < 0.4);
    now = after(0.2, now, keys, isSolid);
    expect(inAny(now)).toBe(false);
    seen.add(now.at.map(Math.floor).join());
  }
  expect(seen.size).toBeGreaterThan(100);
});

describe("a pose", () => {
  it.each<Pose>([
    { x: 3, y: 1, z: 4, pitch: -12.5, yaw: 271.3 },
    { x: 0.25, y: 0, z: 9.99, pitch: 89, yaw: 0 },
  ])("comes back as it was: %j", (pose) => {
    expect(poseOf(walkerAt(pose))).toEqual(pose);
  });

  it("is rounded, and its yaw stays below 360", () => {
    expect(poseOf({ ...walkerAt({ x: 1.23456, y: 2.34567, z: -0.0001, pitch: -0.04, yaw: 359.97 }) })).toEqual({
      x: 1.23,
      y: 2.35,
      z: 0,
      pitch: 0,
      yaw: 0,
    });
  });

  it("in a cell is in the middle of it: the body is in two cells, one above the other", () => {
    const walker = stood(3, 4);
    const cells = [2, 3, 4].flatMap((x) => [2, 3, 4, 5].flatMap((y) => [3, 4, 5].map((z): Cell => [x, y, z])));
    expect(cells.filter((cell) => isIn(walker, cell))).toEqual(rows("3,3,4 3,4,4"));
  });

  it("between two cells is in both", () => {
    expect([isIn(stood(3.5, 4), [3, 3, 4]), isIn(stood(3.5, 4), [4, 3, 4])]).toEqual([true, true]);
  });
});

test("looking never goes over the top, and turns round and round", () => {
  const up = turned(stood(8, 8), 0, 400);
  expect(up.pitch).toBe(89);
  expect(turned(up, 0, -1000).pitch).toBe(-89);
  expect(turned(stood(8, 8, 350), 20, 0).yaw).toBeCloseTo(10);
  expect(turned(stood(8, 8, 10), -20, 0).yaw).toBeCloseTo(350);
});

test.each<[Pose, Cell]>([
  [{ x: -3, y: 4, z: 8, pitch: 0, yaw: 0 }, [-0.2, 4, 8]],
  [{ x: 99, y: 99, z: 15, pitch: 0, yaw: 0 }, [15.2, 10.1, 15]],
  [{ x: 5, y: 0, z: 5, pitch: 0, yaw: 0 }, [5, 0, 5]],
])("a start at %j is brought into the world", (pose, place) => {
  expect(placeOf(within(SIZE, walkerAt(pose)))).toEqual(place);
});
