import { expect, it } from "vitest";
import { commandOf } from "../../../src/staff/replay/keys";
import { press } from "../../make";

it.each([
  [" ", { type: "toggle" }],
  ["n", { type: "next" }],
  ["P", { type: "previous" }],
  ["2", { type: "speed", speed: 4 }],
  ["l", { type: "end" }],
])("%s drives the replay", (key, action) => {
  expect(commandOf(press(key), "other", false)).toEqual({ do: "replay", action });
});

it("lets Space press the button that has the focus, and nothing be taken from a text", () => {
  expect(commandOf(press(" "), "button", false)).toBeNull();
  expect(commandOf(press("n"), "text", false)).toBeNull();
});

it("turns the picture with the arrows while it has the focus, and leaves them to the slider", () => {
  expect(commandOf(press("ArrowLeft"), "other", true)).toMatchObject({ do: "move", move: { do: "turn" } });
  expect(commandOf(press("ArrowLeft"), "slider", false)).toBeNull();
});

it("leaves the browser its own", () => {
  expect(commandOf(press("n", { ctrlKey: true }), "other", false)).toBeNull();
});
