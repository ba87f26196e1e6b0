import { describe, expect, test } from "vitest";
import { atHand, neighbourOf, MOST_AT_HAND } from "../../../src/tools/interaction/blocks";
import { groupsOf } from "../../../src/tools/interaction/capabilities";
import {
  closedWords,
  endWords,
  hintOf,
  minutes,
  presenceWords,
  STATUS_WORDS,
} from "../../../src/tools/interaction/texts";
import { soundDraft, wirePose } from "../../../src/tools/interaction/drafts";
import { commandOf } from "../../../src/tools/interaction/keys";
import { boxAround, foundOf, pointingOf, whereIs } from "../../../src/tools/interaction/pointing";
import { STATUSES } from "../../../src/tools/interaction/session_status";
import { CLOSE } from "../../../src/tools/interaction/connection/wire";
import { MATERIALS } from "../../../src/world/palette";
import { agent, QUESTION, told, worker } from "./make";
import { press } from "../../make";

describe("capabilities", () => {
  test("stand in groups, each with its example", () => {
    const groups = groupsOf(["Move: come here", "Build: build a small red cube", "Stop", "Sing: sing a song"]);
    expect(groups.map(({ title, all }) => [title, ...all.map(({ word }) => word)])).toEqual([
      ["Build and dig", "Build"],
      ["Move and fetch", "Move"],
      ["Any time", "Stop"],
      ["And also", "Sing"],
    ]);
    expect(groups[0]?.all[0]?.example).toBe("build a small red cube");
  });
});

describe("blocks at hand", () => {
  test("are all where there are few, else the colours first", () => {
    expect(atHand([1, 2, 3])).toEqual([1, 2, 3]);
    const all = atHand(MATERIALS.map(({ id }) => id));
    expect(all).toHaveLength(MOST_AT_HAND);
    expect(all).toEqual(Array.from({ length: 16 }, (_, index) => 46 + index));
  });

  test("go round and round", () => {
    const of = [1, 2, 3];
    expect([neighbourOf(of, 3, 1), neighbourOf(of, 1, -1), neighbourOf(of, 9, 1)]).toEqual([1, 3, 1]);
    expect(neighbourOf([], 7, 1)).toBe(7);
  });
});

describe("pointing", () => {
  const found = {
    phrase: "the red cube",
    voxels: [
      [1, 2, 3],
      [4, 1, 3],
    ] as const,
  };
  const nothing = { phrase: "the cow", voxels: [] };

  test("shows what the words were taken for, the first that was found or the one chosen", () => {
    const other = { phrase: "the tower", voxels: [[7, 7, 7]] as const };
    expect(foundOf([nothing, found, other], null)).toBe(found);
    expect(foundOf([nothing, found, other], 2)).toBe(other);
    expect(foundOf([nothing, found], 0)).toBe(found);
    expect(foundOf([nothing], null)).toBeNull();
    expect(boxAround(found.voxels)).toEqual({ low: [1, 1, 3], high: [4, 2, 3] });
  });

  test.each([
    [0, 0, null],
    [20, 0, null],
    [-90, 0, "to your left"],
    [90, 0, "to your right"],
    [180, 0, "behind you"],
    [360 - 10, 0, null],
    [0, 60, "further down"],
    [0, -60, "further up"],
  ])("who looks by %i and %i degrees past it is told where to turn: %s", (yaw, pitch, where) => {
    const ahead = { low: [10, 1, 30], high: [10, 2, 30] } as const;
    expect(whereIs(ahead, { x: 10, y: 0, z: 10, pitch, yaw })).toBe(where);
  });

  test("a question about objects goes before what was pointed at; another question shows nothing", () => {
    const live = told(
      worker("start", {}),
      worker("command", { id: "c1", text: "dig" }),
      agent("point", {
        box: [
          [3, 3, 3],
          [1, 1, 1],
        ],
      }),
    );
    expect(pointingOf(live, null)?.box).toEqual({ low: [1, 1, 1], high: [3, 3, 3] });
    expect(pointingOf({ ...live, question: { ...QUESTION, given: null } }, null)).toBeNull();
    expect(
      pointingOf({ ...live, question: { ...QUESTION, show: "object", objects: [found], given: null } }, null)?.cells,
    ).toEqual(found.voxels);
  });
});

describe("keys", () => {
  const SECOND = { do: "choose", choice: 1 };

  test.each<[string, Parameters<typeof commandOf>, object | null]>([
    ["a digit answers", [press("2"), "other", false, false, true], SECOND],
    ["a digit answers in the world", [press("2"), "other", false, true, true], SECOND],
    ["a digit answers in the field that takes no text now", [press("2"), "text", false, false, true], SECOND],
    ["a digit is text where text is written", [press("2"), "text", true, false, true], null],
    ["with Ctrl a digit is the browser's", [press("2", { ctrlKey: true }), "other", false, false, true], null],
    ["the block changes in the world", [press("r"), "other", false, true, true], { do: "block", by: 1 }],
    ["the block changes nowhere else", [press("f"), "other", false, false, true], null],
    ["keys that are switched off do nothing", [press("2"), "other", false, false, false], null],
    [
      "keys that are switched off are still listed",
      [press("?", { shiftKey: true }), "other", false, false, false],
      { do: "help" },
    ],
  ])("%s", (_, pressed, expected) => {
    expect(commandOf(...pressed)).toEqual(expected);
  });
});

describe("what is kept", () => {
  test("whatever was stored, a draft is sound", () => {
    expect(soundDraft("x")).toBeNull();
    expect(soundDraft({ text: 4, pose: { x: 1 } })).toMatchObject({ text: "", pose: null });
    const wrote = { command: "c1", node: "what", text: "it sang" };
    const drafts = [{ wrote }, { wrote: { text: "it sang" } }, {}].map(soundDraft);
    expect(drafts.map((draft) => draft?.wrote)).toEqual([wrote, null, null]);
    const pose = { x: 1, y: 2, z: 3, pitch: 0, yaw: 0 };
    expect(soundDraft({ text: "dig", pose })).toMatchObject({ text: "dig", pose });
  });

  test.each([
    [0, 0],
    [190, -170],
    [-540, -180],
    [725.04, 5],
  ])("a look of %f degrees is told as %f", (yaw, said) => {
    expect(wirePose({ x: 0, y: 0, z: 0, pitch: 0, yaw }).yaw).toBeCloseTo(said, 5);
  });
});

describe("sentences", () => {
  test("every end says what is paid and what to do next", () => {
    for (const reason of ["finished", "left", "expired", "agent_lost", "staff", "over", null]) {
      const { title, text } = endWords(reason, "$4.20");
      expect(title).not.toBe("");
      expect(text).toMatch(/paid/);
      expect(text).toContain("$4.20");
      expect(text).toMatch(/close this page/);
    }
  });

  test("a page that has no line any more says what to press", () => {
    expect(closedWords(CLOSE.replaced)).toMatchObject({ title: "This session is open on another page.", does: "here" });
    expect(closedWords(CLOSE.token).does).toBe("reload");
    expect(closedWords(CLOSE.notYours).does).toBe("reload");
  });

  test("the line and the assistant are spoken of only where something is wrong", () => {
    const live = told(worker("start", {}));
    expect(presenceWords(live)).toBe("");
    expect(presenceWords({ ...live, line: { isUp: false, attempt: 2 } })).toBe(
      "No connection. What you do is kept here and will be sent.",
    );
    expect(presenceWords({ ...live, agent: "waiting" })).toBe(
      "The assistant is not here yet; this may take a moment. Your time counts.",
    );
    expect(presenceWords({ ...live, phase: "before", agent: "waiting" })).not.toContain("counts");
  });

  test("every status has its words, every wait its reason", () => {
    expect(STATUSES.map((one) => STATUS_WORDS[one].now)).toEqual([
      "sending command",
      "command received",
      "assistant is thinking",
      "assistant is doing the task",
    ]);
    const waits = [null, "not_started", "at_work", "stopping", "asked", "question", "waits", "no_agent", "ended"];
    expect(new Set(waits.map((one) => hintOf(one as never))).size).toBe(9);
    const words = ["5 minutes", "one minute", "one minute and 30 seconds", "20 seconds"];
    expect([300, 60, 90, 20].map(minutes)).toEqual(words);
  });
});
