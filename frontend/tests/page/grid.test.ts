/** Keys of a list act only in its rows, never while somebody types or holds a modifier. */

import { describe, expect, test } from "vitest";

import { keyOf, stepped, type GridKey } from "../../src/page/grid";

const plain = { ctrlKey: false, metaKey: false, altKey: false };
const row = { isTyping: false, isInRow: true };
const page = { isTyping: false, isInRow: false };

describe("the keys of a list", () => {
  const table: [string, GridKey | null, GridKey | null][] = [
    ["j", "next", "next"],
    ["k", "previous", "previous"],
    ["ArrowDown", "next", null],
    ["ArrowUp", "previous", null],
    ["Enter", "open", null],
    ["x", "choose", null],
    ["/", "search", "search"],
    ["?", "help", "help"],
    ["q", null, null],
  ];
  test.each(table)("%s", (key, inRow, outside) => {
    expect(keyOf({ ...plain, key }, row)).toBe(inRow);
    expect(keyOf({ ...plain, key }, page)).toBe(outside);
    expect(keyOf({ ...plain, key }, { ...row, isTyping: true })).toBeNull();
    expect(keyOf({ ...plain, key, ctrlKey: true }, row)).toBeNull();
  });

  test("steps stop at both ends", () => {
    expect([stepped(-1, 1, 3), stepped(2, 1, 3), stepped(0, -1, 3), stepped(-1, -1, 3)]).toEqual([0, 2, 0, 0]);
  });
});
