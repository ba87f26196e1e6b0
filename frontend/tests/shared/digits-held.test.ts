import { expect, test } from "vitest";
import { buttonOf } from "../../src/shared/digits";

const ONE = { key: "1", ctrlKey: false, metaKey: false, altKey: false };

test("a digit that is held down answers one question, and not the next one too", () => {
  expect(buttonOf({ ...ONE, repeat: false }, false)).toBe(0);
  expect(buttonOf({ ...ONE, repeat: true }, false)).toBeNull();
});
