import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { beatAfter_ms, Leases } from "../../src/work/lease";
import { Problem, Unreachable } from "../../src/work/http";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

function leases(heartbeat: (assignment: string) => Promise<number>, inView = true) {
  const renewed = vi.fn();
  const lost = vi.fn();
  return {
    renewed,
    lost,
    leases: new Leases({ heartbeat, serverNow: () => Date.now(), inView: () => inView, renewed, lost }),
  };
}

test.each([
  [900000, 60000],
  [90000, 30000],
  [1000, 2000],
  [-5000, 2000],
])("with %i ms left the next beat comes in %i ms", (left, wait) => expect(beatAfter_ms(left)).toBe(wait));

test("both holds are kept alive, as often as the shorter needs", async () => {
  const heartbeat = vi.fn(async () => Date.now() + 30_000);
  const { leases: held, renewed } = leases(heartbeat);
  held.hold({ assignment: "now", ends: 30_000 });
  held.hold({ assignment: "next", ends: 900_000 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(heartbeat.mock.calls.map(([assignment]: string[]) => assignment)).toEqual(["now", "next"]);
  expect(renewed).toHaveBeenCalledWith({ assignment: "now", ends: 40_000 });
});

test("nobody there, no beat", async () => {
  const heartbeat = vi.fn(async () => 0);
  const { leases: held } = leases(heartbeat, false);
  held.hold({ assignment: "now", ends: 30_000 });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(heartbeat).not.toHaveBeenCalled();
});

test("a lost lease is reported once; a lost connection is not a lost lease", async () => {
  let answer: Error = new Unreachable("offline");
  const { leases: held, lost } = leases(async () => Promise.reject(answer));
  held.hold({ assignment: "now", ends: 30_000 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(lost).not.toHaveBeenCalled();
  answer = new Problem(409, "lease_lost", "");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lost).toHaveBeenCalledTimes(1);
});

test("what is let go is left alone", async () => {
  const heartbeat = vi.fn(async () => 0);
  const { leases: held } = leases(heartbeat);
  held.hold({ assignment: "now", ends: 30_000 });
  held.letGo("now");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(heartbeat).not.toHaveBeenCalled();
});
