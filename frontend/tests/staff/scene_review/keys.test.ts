import { expect, test } from "vitest";
import { commandOf, type Command } from "../../../src/staff/scene_review/keys";
import { answerText, marksIn } from "../../../src/staff/scene_review/marks";
import { press, rows } from "../../make";

test.each<[string, Command | null]>([
  ["g", { do: "ground" }],
  ["G", { do: "ground" }],
  ["m", { do: "bare" }],
  ["c", { do: "shares" }],
  ["3", { do: "answer", number: 3 }],
  ["0", { do: "move", move: { do: "reset" } }],
  ["Enter", null],
  ["Tab", null],
])("the key %s does what the list of keys says", (key, command) => {
  expect(commandOf(press(key))).toEqual(command);
});

test("arrow keys turn, with Shift they slide", () => {
  expect(commandOf(press("ArrowLeft"))).toMatchObject({ move: { do: "turn" } });
  expect(commandOf(press("ArrowLeft", { shiftKey: true }))).toMatchObject({ move: { do: "pan" } });
});

test.each(["ctrlKey", "metaKey", "altKey"])("with %s a key is the browser's", (held) => {
  expect(commandOf(press("0", { [held]: true }))).toBeNull();
});

test("marks are written as the answer that says them, and read again", () => {
  const text = answerText([2, 3, 4], [0, 5, 23]);
  expect(JSON.parse(text)).toEqual({
    voxels: rows("0,0,0 0,1,1 1,2,3"),
  });
  expect(marksIn([2, 3, 4], text)).toEqual([0, 5, 23]);
  expect(answerText([2, 3, 4], [])).toBe("");
});

test.each([
  ["", null],
  ["{", null],
  ["null", null],
  ['{"absent": true}', null],
  ['{"voxels": [[0, 0, 1], [9, 0, 0], [0.5, 0, 0], "x"]}', [1]],
])("the text %j says the marks %j", (text, marks) => {
  expect(marksIn([2, 3, 4], text)).toEqual(marks);
});
