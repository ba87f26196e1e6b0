import { expect, test } from "vitest";
import { commandOf, OPTION_KEYS } from "../../../src/tools/parse/keys";
import { press } from "../../make";

test.each([
  ["1", { do: "pick", index: 0 }],
  ["9", { do: "pick", index: 8 }],
  ["a", { do: "pick", index: 9 }],
  ["B", { do: "pick", index: 10 }],
  ["Enter", { do: "next" }],
  ["Backspace", { do: "undo" }],
  ["u", { do: "undo" }],
  ["y", { do: "say", yes: true }],
  ["n", { do: "say", yes: false }],
  ["0", { do: "unknown" }],
  ["?", { do: "help" }],
  ["ArrowLeft", null],
  [" ", null],
])("%s means %j", (key, command) => {
  expect(commandOf(press(key), "other")).toEqual(command);
});

test.each([
  ["a", false, { do: "word", index: 0, goesOn: true }],
  ["C", true, { do: "word", index: 2, goesOn: false }],
  ["u", false, { do: "undo" }],
  ["n", false, { do: "word", index: 13, goesOn: true }],
])("where words are asked, %s means %j", (key, shiftKey, command) => {
  expect(commandOf(press(key, { shiftKey }), "other", true)).toEqual(command);
});

test("every option has a key of its own, and none of them undoes", () => {
  expect(new Set(OPTION_KEYS).size).toBe(OPTION_KEYS.length);
  for (const key of OPTION_KEYS) expect(commandOf(press(key), "other")).toMatchObject({ do: "pick" });
});

test("in a field keys are text, on a button Enter presses it, and the browser's own keys stay its own", () => {
  expect(commandOf(press("1"), "text")).toBeNull();
  expect(commandOf(press("Enter"), "button")).toBeNull();
  expect(commandOf(press("u", { ctrlKey: true }), "other")).toBeNull();
});
