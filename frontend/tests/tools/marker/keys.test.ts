import { describe, expect, test } from "vitest";
import { commandOf } from "../../../src/tools/marker/keys";
import type { Focus, Press } from "../../../src/work/focus";
import { press } from "../../make";

const pressed = (key: string, focus: Focus = "other", held: Partial<Press> = {}): unknown =>
  commandOf(press(key, held), focus);

test.each([
  ["s", { do: "place", outcome: "success" }],
  ["F", { do: "place", outcome: "failure" }],
  ["n", { do: "never" }],
  ["u", { do: "clear" }],
  ["Delete", { do: "clear" }],
  ["Enter", { do: "submit" }],
  [" ", { do: "toggle" }],
  ["k", { do: "toggle" }],
  ["j", { do: "shuttle", direction: -1 }],
  ["l", { do: "shuttle", direction: 1 }],
  [",", { do: "step", frames: -1 }],
  [".", { do: "step", frames: 1 }],
  ["ArrowLeft", { do: "step", frames: -1 }],
  ["ArrowRight", { do: "step", frames: 1 }],
  ["PageUp", { do: "jump", seconds: 1 }],
  ["PageDown", { do: "jump", seconds: -1 }],
  ["Home", { do: "go", to: "first" }],
  ["End", { do: "go", to: "last" }],
  ["[", { do: "go", to: "takeover" }],
  ["]", { do: "go", to: "marker" }],
  ["?", { do: "help" }],
  ["x", null],
  ["q", { do: "change", by: -1 }],
  ["e", { do: "change", by: 1 }],
  ["+", { do: "zoom", by: 1 }],
  ["-", { do: "zoom", by: -1 }],
  ["0", { do: "zoom", by: 0 }],
  ["Tab", null],
  ["Escape", null],
])("%s", (key, command) => expect(pressed(key)).toEqual(command));

test("shift makes ten of one", () => {
  expect(pressed("ArrowRight", "other", { shiftKey: true })).toEqual({ do: "step", frames: 10 });
  expect(pressed("ArrowLeft", "slider", { shiftKey: true })).toEqual({ do: "step", frames: -10 });
});

describe.each(["ctrlKey", "metaKey", "altKey"] as const)("with %s", (held) => {
  test.each(["s", "ArrowLeft", "Enter", "f"])("%s belongs to the browser", (key) =>
    expect(pressed(key, "other", { [held]: true })).toBeNull(),
  );
});

test("in a text field every key is text", () => {
  for (const key of ["s", "Enter", "?", "Delete", " "]) expect(pressed(key, "text")).toBeNull();
});

test("on a button Enter and Space press it, letters still work", () => {
  expect(pressed("Enter", "button")).toBeNull();
  expect(pressed(" ", "button")).toBeNull();
  expect(pressed("s", "button")).toEqual({ do: "place", outcome: "success" });
});

test("the slider keeps its own arrows", () => {
  expect(pressed("ArrowRight", "slider")).toBeNull();
  expect(pressed("End", "slider")).toBeNull();
  expect(pressed("PageUp", "slider")).toEqual({ do: "jump", seconds: 1 });
  expect(pressed("Enter", "slider")).toEqual({ do: "submit" });
});
