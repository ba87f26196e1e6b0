import { expect, test } from "vitest";
import type { Press } from "../../../src/work/focus";
import { commandOf, KEY_HELP, LOOK_HELP, repeats } from "../../../src/tools/voxels/keys";
import { press } from "../../make";

const of = (key: string, over: Partial<Press> = {}) => commandOf(press(key, over), "other", true);

test.each([
  ["1", { do: "tool", tool: "one" }],
  ["5", { do: "tool", tool: "brush" }],
  ["6", null],
  ["u", { do: "unmark" }],
  ["A", { do: "air" }],
  ["z", { do: "undo" }],
  ["y", { do: "redo" }],
  ["g", { do: "ground" }],
  ["n", { do: "absent" }],
  ["c", { do: "clear" }],
  ["x", { do: "plane", axis: 0 }],
  ["v", { do: "plane", axis: 1 }],
  ["b", { do: "plane", axis: 2 }],
  ["?", { do: "help" }],
  ["Enter", { do: "apply" }],
  [" ", { do: "apply" }],
  ["Escape", { do: "drop" }],
  ["Home", { do: "home" }],
  ["PageUp", { do: "walk", by: { right: 0, up: 1, away: 0 } }],
  ["ArrowUp", { do: "walk", by: { right: 0, up: 0, away: 1 } }],
  ["ArrowLeft", { do: "walk", by: { right: -1, up: 0, away: 0 } }],
  ["k", null],
  ["Tab", { do: "thing", by: 1 }],
])("%s means %j", (key, command) => {
  expect(of(key)).toEqual(command);
});

test("turning, tilting, zooming and sliding have keys, which may be held", () => {
  for (const key of ["q", "e", "r", "f", "+", "-", "ArrowUp"]) expect(repeats(of(key)!)).toBe(true);
  expect(of("ArrowRight", { shiftKey: true })).toMatchObject({ do: "pan", up: 0 });
  expect(of("ArrowUp", { shiftKey: true })).toMatchObject({ do: "pan", right: 0 });
  for (const key of ["Enter", "z", "n"]) expect(repeats(of(key)!)).toBe(false);
});

test("Shift Z and Ctrl Y redo, Ctrl Z undoes, Ctrl Enter hands in from anywhere", () => {
  expect(of("Z", { shiftKey: true })).toEqual({ do: "redo" });
  expect(of("y", { ctrlKey: true })).toEqual({ do: "redo" });
  expect(of("z", { metaKey: true })).toEqual({ do: "undo" });
  for (const focus of ["text", "button", "slider", "other"] as const)
    expect(commandOf(press("Enter", { ctrlKey: true }), focus, false)).toEqual({ do: "submit" });
});

test("switched off, letters and digits do nothing; the keys of the picture still work", () => {
  for (const key of ["1", "u", "z", "x", "+", "?", "0"]) expect(commandOf(press(key), "other", false)).toBeNull();
  for (const key of ["ArrowUp", "PageDown", "Home", "Enter", " ", "Escape"])
    expect(commandOf(press(key), "other", false)).not.toBeNull();
});

test("in a field keys are text, on a slider arrows move it, on a button Enter presses it", () => {
  for (const key of ["n", "1", "Enter", "ArrowUp", "Escape"]) expect(commandOf(press(key), "text", true)).toBeNull();
  for (const key of ["ArrowUp", "Home", "PageUp"]) expect(commandOf(press(key), "slider", true)).toBeNull();
  for (const key of ["Enter", " "]) expect(commandOf(press(key), "button", true)).toBeNull();
  expect(commandOf(press("u"), "button", true)).toEqual({ do: "unmark" });
  expect(of("c", { ctrlKey: true })).toBeNull();
  expect(of("ArrowLeft", { altKey: true })).toBeNull();
});

test("the help for naming a scene lists no tools", () => {
  expect(LOOK_HELP.map(([keys]) => keys)).not.toContain("1 2 3 4 5");
  expect(KEY_HELP.map(([keys]) => keys)).toContain("1 2 3 4 5");
  expect(LOOK_HELP.map(([keys]) => keys)).not.toContain("N");
});
