import { describe, expect, test } from "vitest";
import { firstMinute } from "../../../src/tools/interaction/first_minute";
import { reduce, type InteractionState } from "../../../src/tools/interaction/state";
import type { WorkStatus } from "../../../src/work/api";
import { agent, atWork, server, worker, type Line } from "./make";

const POSE = worker("pose", { x: 2, y: 1, z: 2, pitch: 0, yaw: 90 });
const START = worker("start", {});
const COMMAND = worker("command", { id: "c1", text: "dig" });
const DONE = agent("status", { command: "c1", state: "done" });
const JUDGED = server("outcome", { command: "c1", outcome: "ok" });

function inSession(done: number, ...lines: Line[]): InteractionState {
  const workStatus = { progress: { done, open: 3 } } as WorkStatus;
  return { ...atWork(...lines), workStatus };
}

describe("the first minute of the first session", () => {
  test.each<[string, Line[], number]>([
    ["to begin and to walk", [], 0],
    ["to walk, once the clock runs", [START], 0],
    ["to give a command, after walking", [START, POSE], 1],
    ["to watch and to judge, after a command", [START, POSE, COMMAND], 2],
    ["the same to whoever was quicker than the guide", [START, COMMAND, DONE], 2],
    ["no more after one command was judged", [START, COMMAND, DONE, JUDGED], 3],
  ])("asks for %s", (_, lines, step) => {
    expect(firstMinute(inSession(0, ...lines))?.done).toBe(step);
  });

  test("is not there in a later session, before that is known, and for whoever wants none", () => {
    const first = inSession(0, START);
    expect(firstMinute(first)).not.toBeNull();
    expect(firstMinute(inSession(1, START))).toBeNull();
    expect(firstMinute({ ...first, workStatus: null })).toBeNull();
    expect(firstMinute(reduce(first, { type: "no_help" }))).toBeNull();
  });
});
