import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { stubFrames } from "../../../make";
import { Clock } from "../../../../src/tools/interaction/walking/clock";

let frames: ReturnType<typeof stubFrames>;

beforeEach(() => void (frames = stubFrames()));
afterEach(() => vi.unstubAllGlobals());

test("steps follow the time that has passed, however it is cut into frames", () => {
  let steps = 0;
  const clock = new Clock(1 / 120, (more) => {
    steps += more;
    return true;
  });
  clock.wake();
  frames.draw(1000);
  const first = steps;
  for (const now of [1003, 1021, 1022, 1060, 1100, 1200]) frames.draw(now);
  expect(steps - first).toBe(24);
});

test("nothing is asked for when nothing moves, and once however often it is woken", () => {
  const clock = new Clock(1 / 120, () => false);
  expect(frames.waiting()).toBe(0);
  clock.wake();
  clock.wake();
  expect(frames.waiting()).toBe(1);
  frames.draw(0);
  expect(frames.waiting()).toBe(0);
});

test("neither a rest nor a page that was away is made up for", () => {
  const seen: number[] = [];
  let isMoving = false;
  const clock = new Clock(1 / 120, (steps) => {
    seen.push(steps);
    return isMoving;
  });
  clock.wake();
  frames.draw(0);
  isMoving = true;
  clock.wake();
  frames.draw(60_000);
  frames.draw(120_000);
  expect(seen).toEqual([2, 2, 30]);
});

test("stopped, it asks for no more frames", () => {
  const clock = new Clock(1 / 120, () => true);
  clock.wake();
  clock.stop();
  expect(frames.waiting()).toBe(0);
});
