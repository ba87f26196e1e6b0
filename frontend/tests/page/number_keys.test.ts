import { expect, test } from "vitest";
import { buttonOf } from "../../src/page/number_keys";

const key = (name: string, held: Partial<Record<"ctrlKey" | "metaKey" | "altKey", boolean>> = {}) => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});

test("a digit is a button", () => {
  expect([buttonOf(key("1"), false), buttonOf(key("9"), false)]).toEqual([0, 8]);
});

test("no other key is one, and none while somebody types", () => {
  for (const name of ["0", "a", "Enter", "F1", "10"]) expect(buttonOf(key(name), false)).toBeNull();
  expect(buttonOf(key("1"), true)).toBeNull();
});

test("a browser's own shortcuts stay its own", () => {
  for (const held of ["ctrlKey", "metaKey", "altKey"] as const)
    expect(buttonOf(key("1", { [held]: true }), false)).toBeNull();
});

test("a digit that is held down answers one question, and not the next one too", () => {
  expect(buttonOf({ ...key("1"), repeat: false }, false)).toBe(0);
  expect(buttonOf({ ...key("1"), repeat: true }, false)).toBeNull();
});
