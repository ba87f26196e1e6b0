import { describe, expect, it } from "vitest";
import { KEY_HELP } from "../../../src/tools/marker/keys";
import type { Focus, Press } from "../../../src/work/focus";
import { ACT_KEY, REVIEW_HELP, reviewCommandOf } from "../../../src/staff/review/keys";
import { press } from "../../make";

const command = (key: string, focus: Focus = "other", held: Partial<Press> = {}) =>
  reviewCommandOf(press(key, held), focus);

describe("the keys of the review", () => {
  it.each<[string, Focus, Partial<Press>, unknown]>([
    ["1", "other", {}, { do: "choose", number: 1 }],
    ["9", "other", {}, { do: "choose", number: 9 }],
    ["0", "other", {}, { do: "consensus" }],
    ["s", "other", {}, { do: "place", outcome: "success" }],
    ["F", "other", {}, { do: "place", outcome: "failure" }],
    ["n", "other", {}, { do: "never" }],
    ["ArrowLeft", "other", {}, { do: "step", frames: -1 }],
    ["]", "other", {}, { do: "go", to: "marker" }],
    ["Enter", "other", {}, { do: "take" }],
    ["Enter", "text", {}, null],
    ["Enter", "button", {}, null],
    ["Enter", "text", { ctrlKey: true }, { do: "send" }],
    ["Enter", "other", { metaKey: true }, { do: "send" }],
    ["Escape", "text", {}, { do: "leave" }],
    ["Escape", "other", {}, null],
    ...["s", "1", "x", "t", "?"].map((key): [string, Focus, Partial<Press>, unknown] => [key, "text", {}, null]),
    ...["r", "t", "d", "1"].map((key): [string, Focus, Partial<Press>, unknown] => [
      key,
      "other",
      { ctrlKey: true },
      null,
    ]),
  ])("%s in %s with %j", (key, focus, held, expected) => {
    expect(command(key, focus, held)).toEqual(expected);
  });

  it("name each act by the letter that its button shows", () => {
    for (const [act, letter] of Object.entries(ACT_KEY)) {
      if (act === "adjudicate") continue;
      expect(command(letter.toLowerCase())).toEqual({ do: "act", act });
    }
  });

  it("take no letter away from the marker", () => {
    const markers = KEY_HELP.flatMap(([keys]) => keys.split(/[ ·]+/)).filter((key) => /^[A-Z]$/.test(key));
    const ours = [
      ...Object.entries(ACT_KEY)
        .filter(([act]) => act !== "adjudicate")
        .map(([, key]) => key),
      "T",
      "G",
    ];
    expect(ours.filter((key) => markers.includes(key))).toEqual([]);
    expect(new Set(ours).size).toBe(ours.length);
  });

  it("are all in the help", () => {
    const help = REVIEW_HELP.map(([keys]) => keys).join(" ");
    for (const key of [...Object.values(ACT_KEY), "T", "G", "0", "Enter", "Esc"]) expect(help).toContain(key);
  });
});
