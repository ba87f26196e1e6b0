import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Clock } from "../../../../src/tools/interaction/walking/clock";

let frames: ((now: number) => void)[] = [];

function frame(now: number): void {
  const due = frames;
  frames = [];
  for (const one of due) one(now);
}

beforeEach(() => {
  frames = [];
  vi.stubGlobal("requestAnimationFrame", (one: (now: number) => void) => frames.push(one));
  vi.stubGlobal("cancelAnimationFrame", () => (frames = []));
});
afterEach(() => vi.unstubAllGlobals());

test("steps follow the time that has passed, however it is cut into frames", () => {
  let steps = 0;
  const clock = new Clock(1 / 120, (more) => {
    steps += more;
    return true;
  });
  clock.wake();
  frame(1000);
  const first = steps;
  for (const now of [1003, 1021, 1022, 1060, 1100, 1200]) frame(now);
  expect(steps - first).toBe(24);
});

test("nothing is asked for when nothing moves, and once however often it is woken", () => {
  const clock = new Clock(1 / 120, () => false);
  expect(frames).toHaveLength(0);
  clock.wake();
  clock.wake();
  expect(frames).toHaveLength(1);
  frame(0);
  expect(frames).toHaveLength(0);
});

test("neither a rest nor a page that was away is made up for", () => {
  const seen: number[] = [];
  let isMoving = false;
  const clock = new Clock(1 / 120, (steps) => {
    seen.push(steps);
    return isMoving;
  });
  clock.wake();
  frame(0);
  isMoving = true;
  clock.wake();
  frame(60_000);
  frame(120_000);
  expect(seen).toEqual([2, 2, 30]);
});

test("stopped, it asks for no more frames", () => {
  const clock = new Clock(1 / 120, () => true);
  clock.wake();
  clock.stop();
  expect(frames).toHaveLength(0);
});
