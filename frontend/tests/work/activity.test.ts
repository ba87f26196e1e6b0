import { expect, test } from "vitest";
import { ActiveClock, IDLE_AFTER_MS } from "../../src/work/activity";

function run(clock: ActiveClock, from: number, to: number, inView = true): void {
  for (let now = from; now <= to; now += 1000) clock.tick(now, inView);
}

test("time counts while the page is in view and somebody is there", () => {
  const clock = new ActiveClock(0);
  run(clock, 1000, 10_000);
  expect(clock.active_s).toBe(10);
});

test("half a minute without a sign of life stops it, a sign goes on", () => {
  const clock = new ActiveClock(0);
  run(clock, 1000, 60_000);
  expect(clock.active_s).toBe(IDLE_AFTER_MS / 1000 - 1);
  clock.sign(60_000);
  run(clock, 61_000, 63_000);
  expect(clock.active_s).toBe(IDLE_AFTER_MS / 1000 + 2);
});

test("a hidden page and a sleeping laptop do not count", () => {
  const clock = new ActiveClock(0, 5);
  run(clock, 1000, 5000, false);
  clock.sign(3_600_000);
  clock.tick(3_600_000, true);
  expect(clock.active_s).toBe(5);
});
