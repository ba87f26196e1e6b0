import { describe, expect, it } from "vitest";
import { beginning, boxOf, fold } from "../../../src/staff/replay/moment";
import type { Event } from "../../../src/staff/replay/payload";
import { indexOf } from "../../../src/world/frame";
import * as make from "./make";
import { logOf, SCENE } from "./make";

const at = (events: Event[]) => fold(SCENE.size, beginning(SCENE), events, (place) => place * 1000);
const cell = (x: number, y: number, z: number): number => indexOf(SCENE.size, x, y, z);

describe("the world", () => {
  it("begins as the scene", () => {
    const moment = at([]);
    expect(moment.blocks.size).toBe(0);
    expect([moment.agent, moment.player]).toEqual([SCENE.agent, SCENE.player]);
  });

  it("holds what either side changed, the later over the earlier", () => {
    const moment = at(
      logOf([make.blocks([2, 0, 0, 57], [3, 0, 0, 57]), make.place(2, 0, 0, 60), make.destroy(0, 0, 0)]),
    );
    expect([...moment.blocks]).toEqual([
      [cell(2, 0, 0), 60],
      [cell(3, 0, 0), 57],
      [cell(0, 0, 0), 0],
    ]);
  });

  it("leaves out what lies outside", () => {
    expect(at(logOf([make.blocks([9, 0, 0, 57])])).blocks.size).toBe(0);
  });

  it("leaves the moment before as it was", () => {
    const before = at(logOf([make.place(2, 0, 0, 60)]));
    const after = fold(SCENE.size, before, logOf([make.destroy(2, 0, 0)], 1000, 2), () => 0);
    expect(before.blocks.get(cell(2, 0, 0))).toBe(60);
    expect(after.blocks.get(cell(2, 0, 0))).toBe(0);
  });

  it("shares the blocks with the moment before where none changed", () => {
    const before = at(logOf([make.place(2, 0, 0, 60)]));
    expect(fold(SCENE.size, before, logOf([make.say("hm")], 1000, 2), () => 0).blocks).toBe(before.blocks);
  });

  it("has each figure where it went last", () => {
    const moment = at(logOf([make.pose("agent", 2), make.pose("worker", 3), make.pose("agent", 4)]));
    expect([moment.agent?.x, moment.player?.x]).toEqual([4, 3]);
  });
});

describe("the command", () => {
  const begun = [
    make.start,
    make.command("c1", "dig a hole"),
    make.status("c1", "received"),
    make.parse("c1", "Dig a hole."),
  ];

  it("says how far it is and since when", () => {
    expect(at(logOf(begun)).command).toMatchObject({
      text: "dig a hole",
      status: "received",
      since_ms: 2000,
      words: "Dig a hole.",
    });
  });

  it("keeps for each phrase what it was taken for last", () => {
    const found = at(
      logOf([
        ...begun,
        make.objects("c1", "the hill", [1, 0, 0]),
        make.objects("c1", "the hill", [2, 0, 0]),
        make.objects("c1", "the sea"),
      ]),
    ).command?.found;
    expect(found).toEqual([
      { phrase: "the hill", voxels: [[2, 0, 0]] },
      { phrase: "the sea", voxels: [] },
    ]);
  });

  it("hears nothing of another one", () => {
    expect(at(logOf([...begun, make.status("c0", "failed", "silent")])).command?.status).toBe("received");
  });

  it("is followed by its questions, one at a time, and by its outcome", () => {
    const judged = [...begun, make.status("c1", "failed", "cannot"), make.question("c1", "done", "Done?", "Yes", "No")];
    const asked = at(logOf(judged));
    expect(asked.command).toMatchObject({ status: "failed", reason: "cannot" });
    expect(asked.asked).toEqual({ of: "tree", text: "Done?", choices: ["Yes", "No"] });
    const after = at(logOf([...judged, make.mark("c1", "done", 1), make.outcome("c1", "capability_error")]));
    expect([after.asked, after.command?.outcome]).toEqual([null, "capability_error"]);
  });

  it("makes room for the next", () => {
    expect(at(logOf([...begun, make.outcome("c1", "ok"), make.command("c2", "dance")])).command).toMatchObject({
      name: "c2",
      status: "sent",
      outcome: "",
      found: [],
    });
  });
});

describe("what else there is", () => {
  it("knows what was pointed at last, from the lower corner to the upper one", () => {
    expect(at(logOf([make.point([3, 2, 1], [1, 2, 3])])).pointing).toEqual({
      seq: 1,
      at_ms: 0,
      box: { low: [1, 2, 1], high: [3, 2, 3] },
    });
    expect(
      boxOf([
        [1, 1, 1],
        [1, 1, 1],
      ]),
    ).toEqual({ low: [1, 1, 1], high: [1, 1, 1] });
  });

  it("knows whether the agent is here, and why it is over", () => {
    const moment = at(logOf([make.peer("here"), make.start, make.peer("away"), make.closed("agent_lost")]));
    expect([moment.isAgentHere, moment.started_ms, moment.closed]).toEqual([false, 1000, "agent_lost"]);
  });

  it("knows how the session was scored last", () => {
    const log = logOf([make.score("c1", true, null), make.say("done"), make.score("c2", false, null)]);
    expect([at(log.slice(0, 0)).scored, at(log.slice(0, 2)).scored?.command, at(log).scored?.command]).toEqual([
      null,
      "c1",
      "c2",
    ]);
  });

  it("passes over what it does not know", () => {
    const strange = { seq: 1, from: "server", type: "weather", body: {}, at: "" } as unknown as Event;
    expect(at([strange])).toEqual({ ...beginning(SCENE), count: 1 });
  });
});
