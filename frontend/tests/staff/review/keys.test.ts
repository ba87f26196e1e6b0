import { describe, expect, it } from "vitest";
import { KEY_HELP } from "../../../src/tools/marker/keys";
import type { Focus, Press } from "../../../src/work/focus";
import { ACT_KEY, REVIEW_HELP, reviewCommandOf } from "../../../src/staff/review/keys";

const press = (key: string, held: Partial<Press> = {}): Press => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});
const command = (key: string, focus: Focus = "other", held: Partial<Press> = {}) =>
  reviewCommandOf(press(key, held), focus);

describe("the keys of the review", () => {
  it("go to answers by number, and to the consensus with 0", () => {
    expect(command("1")).toEqual({ do: "choose", number: 1 });
    expect(command("9")).toEqual({ do: "choose", number: 9 });
    expect(command("0")).toEqual({ do: "consensus" });
  });

  it("keep what the marker's keys mean", () => {
    expect(command("s")).toEqual({ do: "place", outcome: "success" });
    expect(command("F")).toEqual({ do: "place", outcome: "failure" });
    expect(command("n")).toEqual({ do: "never" });
    expect(command("ArrowLeft")).toEqual({ do: "step", frames: -1 });
    expect(command("]")).toEqual({ do: "go", to: "marker" });
  });

  it("take with Enter and send with Ctrl Enter, also out of the reason", () => {
    expect(command("Enter")).toEqual({ do: "take" });
    expect(command("Enter", "text")).toBeNull();
    expect(command("Enter", "button")).toBeNull();
    expect(command("Enter", "text", { ctrlKey: true })).toEqual({ do: "send" });
    expect(command("Enter", "other", { metaKey: true })).toEqual({ do: "send" });
  });

  it("are text in the reason, but for Escape, which leaves it", () => {
    for (const key of ["s", "1", "x", "t", "?"]) expect(command(key, "text")).toBeNull();
    expect(command("Escape", "text")).toEqual({ do: "leave" });
    expect(command("Escape")).toBeNull();
  });

  it("name each act by the letter that its button shows", () => {
    for (const [act, letter] of Object.entries(ACT_KEY)) {
      if (act === "adjudicate") continue;
      expect(command(letter.toLowerCase())).toEqual({ do: "act", act });
    }
  });

  it("leave the browser's own shortcuts alone", () => {
    for (const key of ["r", "t", "d", "1"]) expect(command(key, "other", { ctrlKey: true })).toBeNull();
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
