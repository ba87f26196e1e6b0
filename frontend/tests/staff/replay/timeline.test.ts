import { describe, expect, it } from "vitest";
import { beginning, fold } from "../../../src/staff/replay/moment";
import { countAt, extended, lengthOf, momentAt, STRIDE, timelineOf, timeOf } from "../../../src/staff/replay/timeline";
import { numbers } from "../../world/make";
import * as make from "./make";
import { logOf, SCENE } from "./make";

const next = numbers(7);
const cell = (): number => Math.floor(next() * 8);
/** Over three kept moments, with blocks, poses and commands in it. */
const LONG = logOf(
  Array.from({ length: 3 * STRIDE + 40 }, (_, place) =>
    place % 50 === 10
      ? make.command(`c${place}`, `command ${place}`)
      : place % 3 === 0
        ? make.pose("agent", place % 8)
        : make.blocks([cell(), cell(), cell(), place % 4]),
  ),
  100,
);
const whole = extended(timelineOf(SCENE), LONG);
const plainly = (count: number) => fold(SCENE.size, beginning(SCENE), LONG.slice(0, count), (place) => place * 100);

describe("any moment", () => {
  it.each([0, 1, 11, STRIDE - 1, STRIDE, STRIDE + 1, 2 * STRIDE + 17, 3 * STRIDE, LONG.length])(
    "after %i events is what folding them all gives",
    (count) => {
      expect(momentAt(whole, count)).toEqual(plainly(count));
    },
  );

  it("is the same whichever moment is known already", () => {
    for (const known of [0, 10, STRIDE, 2 * STRIDE + 5, LONG.length]) {
      for (const count of [3, STRIDE + 9, 2 * STRIDE + 6])
        expect(momentAt(whole, count, momentAt(whole, known))).toEqual(plainly(count));
    }
  });

  it("folds at most a stride from nothing", () => {
    expect(whole.kept.map(({ count }) => count)).toEqual([0, STRIDE, 2 * STRIDE, 3 * STRIDE]);
  });
});

describe("a log that comes in pieces", () => {
  it.each([1, 7, STRIDE, 500])("of %i events is the same timeline", (size) => {
    let grown = timelineOf(SCENE);
    for (let from = 0; from < LONG.length; from += size) grown = extended(grown, LONG.slice(from, from + size));
    expect(grown).toEqual(whole);
  });

  it("passes over what it has already", () => {
    expect(extended(whole, LONG.slice(-5))).toBe(whole);
  });
});

describe("its clock", () => {
  it("counts from the first event", () => {
    expect([timeOf(whole, 1), timeOf(whole, 11), lengthOf(whole)]).toEqual([0, 1000, (LONG.length - 1) * 100]);
  });

  it("finds how many events there were up to a time", () => {
    expect([-1, 0, 99, 100, 1_000_000].map((ms) => countAt(whole, ms))).toEqual([0, 1, 1, 2, LONG.length]);
  });

  it("never runs backwards, whatever the server's did", () => {
    const [a, b, c] = logOf([make.start, make.say("one"), make.say("two")]);
    if (!a || !b || !c) throw new Error("three events");
    const { times } = extended(timelineOf(SCENE), [a, { ...b, at: "2026-11-21T12:00:05Z" }, c]);
    expect(times).toEqual([0, 5000, 5000]);
  });

  it("knows where commands begin", () => {
    expect(whole.commands.slice(0, 2)).toEqual([11, 61]);
  });
});
