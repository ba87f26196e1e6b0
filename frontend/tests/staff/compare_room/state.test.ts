import { describe, expect, test } from "vitest";
import { commandOf, opened, reduce, timeOf } from "../../../src/staff/compare_room/state";

const SPANS = [
  { takeover: 2, duration: 10 },
  { takeover: 5, duration: 9 },
];
const press = (key: string, changes = {}) => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...changes,
});

describe("the clock of both videos", () => {
  test("begins at the takeover and reaches from the longest start to the longest end", () => {
    expect(opened(SPANS)).toEqual({ at: 0, isPlaying: false, start: -5, end: 8 });
  });

  test("plays to the end, and from the takeover again", () => {
    let room = reduce(opened(SPANS), { type: "toggle" });
    room = reduce(room, { type: "tick", seconds: 100 });
    expect(room).toMatchObject({ at: 8, isPlaying: false });
    expect(reduce(room, { type: "toggle" })).toMatchObject({ at: 0, isPlaying: true });
  });

  test("stays within the videos when it is moved", () => {
    const playing = reduce(opened(SPANS), { type: "toggle" });
    expect(reduce(playing, { type: "move", by: -100 })).toMatchObject({ at: -5, isPlaying: false });
    expect(reduce(playing, { type: "seek", at: 99 }).at).toBe(8);
  });

  test("shows each video the same time after its own takeover", () => {
    expect(SPANS.map((span) => timeOf(span, 3))).toEqual([5, 8]);
    expect(SPANS.map((span) => timeOf(span, 8))).toEqual([10, 9]);
    expect(SPANS.map((span) => timeOf(span, -5))).toEqual([0, 0]);
  });
});

describe("keys", () => {
  test.each([
    [" ", "other", { type: "toggle" }],
    [" ", "button", null],
    ["N", "other", { type: "next" }],
    ["p", "button", { type: "previous" }],
    ["ArrowLeft", "other", { type: "move", by: -1 }],
    ["ArrowLeft", "slider", null],
    ["n", "text", null],
    ["q", "other", null],
  ] as const)("%s on %s", (key, focus, expected) => {
    expect(commandOf(press(key), focus)).toEqual(expected);
  });

  test("with a modifier belong to the browser", () => {
    expect(commandOf(press("n", { ctrlKey: true }), "other")).toBeNull();
  });
});
