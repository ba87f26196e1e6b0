import { describe, expect, it } from "vitest";
import {
  commandNumber,
  isAtEnd,
  isRunning,
  opened,
  reduce,
  type Action,
  type Replay,
} from "../../../src/staff/replay/state";
import * as make from "./make";
import { logOf, SCENE } from "./make";

const LOG = logOf([
  make.peer("here"),
  make.start,
  make.command("c1", "come"),
  make.status("c1", "done"),
  make.outcome("c1", "ok"),
  make.command("c2", "dance"),
  make.status("c2", "done"),
]);
const ALL = { has_more: false, has_ended: true };
const over = opened({ scene: SCENE, events: LOG, ...ALL });
const live = opened({ scene: SCENE, events: LOG.slice(0, 4), has_more: false, has_ended: false });
const after = (state: Replay, ...actions: Action[]): Replay => actions.reduce(reduce, state);
const LENGTH = 6000;

describe("a session that is over", () => {
  it("begins at its beginning and stands still", () => {
    expect([over.moment.count, over.at_ms, isRunning(over)]).toEqual([1, 0, false]);
  });

  it.each([
    [1, 1500, 2],
    [4, 6000, 7],
    [16, 6000, 7],
  ] as const)("played at %i× stands at %i ms after a second and a half", (speed, at_ms, count) => {
    const state = after(over, { type: "speed", speed }, { type: "toggle" }, { type: "tick", ms: 1500 });
    expect([state.at_ms, state.moment.count]).toEqual([at_ms, count]);
  });

  it("stops at its end, and plays once more from the beginning", () => {
    const ended = after(over, { type: "toggle" }, { type: "tick", ms: 99_000 });
    expect([isAtEnd(ended), isRunning(ended)]).toEqual([true, false]);
    expect(after(ended, { type: "toggle" })).toMatchObject({ at_ms: 0, isPlaying: true });
  });

  it("goes on playing where the log has not all come yet", () => {
    const partly = opened({ scene: SCENE, events: LOG.slice(0, 3), has_more: true, has_ended: true });
    const waiting = after(partly, { type: "toggle" }, { type: "tick", ms: 99_000 });
    expect(waiting.isPlaying).toBe(true);
    const page = { events: LOG.slice(3), ...ALL };
    expect(after(waiting, { type: "page", page }, { type: "tick", ms: 1000 }).at_ms).toBe(3000);
  });

  it("does not move while it stands", () => {
    expect(after(over, { type: "tick", ms: 1000 })).toBe(over);
  });
});

describe("going to a moment", () => {
  const forward: Action = { type: "next" };
  const backward: Action = { type: "previous" };

  it.each<[string, Action[], number, number]>([
    ["by the slider", [{ type: "seek", at_ms: 2500 }], 3, 2500],
    ["before its beginning", [{ type: "seek", at_ms: -5 }], 1, 0],
    ["after its end", [{ type: "seek", at_ms: 1e9 }], 7, LENGTH],
    ["to the second command", [forward, forward], 6, 5000],
    ["beyond the last command", [forward, forward, forward], 6, 5000],
    ["back to the first command", [forward, forward, backward], 3, 2000],
    ["back to the beginning", [forward, backward], 1, 0],
  ])("%s ends up within the session", (_, actions, count, at_ms) => {
    const state = after(over, ...actions);
    expect([state.moment.count, state.at_ms]).toEqual([count, at_ms]);
  });

  it("by a line of the chat is exact, however many events are of one instant", () => {
    const events = logOf([make.start, make.say("one"), make.say("two")], 0);
    const state = after(opened({ scene: SCENE, events, ...ALL }), { type: "jump", count: 2 });
    expect([state.moment.count, state.at_ms]).toEqual([2, 0]);
  });

  it("from command to command knows which it is, and goes on playing from there", () => {
    const second = after(over, forward, forward);
    expect([commandNumber(second), second.moment.command?.text]).toEqual([2, "dance"]);
    expect(after(second, forward)).toBe(second);
    expect(after(over, { type: "toggle" }, { type: "seek", at_ms: 3000 }).isPlaying).toBe(true);
  });
});

describe("a session that goes on", () => {
  const more = { events: LOG.slice(4), has_more: false, has_ended: false };

  it("is followed from its end", () => {
    expect([live.isFollowing, live.moment.count]).toEqual([true, 4]);
    expect(after(live, { type: "page", page: more }).moment.count).toBe(7);
  });

  it("does not move a reader who went back in time", () => {
    const back = after(live, { type: "seek", at_ms: 0 }, { type: "page", page: more });
    expect([back.isFollowing, back.moment.count, back.timeline.events.length]).toEqual([false, 1, 7]);
    expect(after(back, { type: "end" })).toMatchObject({ isFollowing: true, at_ms: LENGTH });
  });

  it("can be paused where it is", () => {
    expect(after(live, { type: "toggle" }, { type: "page", page: more }).moment.count).toBe(4);
  });

  it("is played up to its end and followed from there", () => {
    const caught = after(live, { type: "seek", at_ms: 0 }, { type: "toggle" }, { type: "tick", ms: 99_000 });
    expect([caught.isPlaying, caught.isFollowing]).toEqual([false, true]);
  });

  it("is followed no more once it has ended", () => {
    const ended = after(live, { type: "page", page: { ...more, has_ended: true } });
    expect([ended.moment.count, isRunning(ended), ended.isLive]).toEqual([7, false, false]);
  });
});

it("needs a world to begin in", () => {
  expect(() => opened({ events: LOG, ...ALL })).toThrow("no scene");
});

it("can be of a session in which nothing happened", () => {
  const empty = opened({ scene: SCENE, events: [], ...ALL });
  const actions: Action[] = [{ type: "toggle" }, { type: "tick", ms: 5 }, { type: "next" }, { type: "previous" }];
  expect(after(empty, ...actions).moment.count).toBe(0);
});
