import { expect, test } from "vitest";
import { numbersOf, rangeOf } from "../../src/page/numbered_textarea";

const TEXT = '{\n  "a": 1\n}';

test("a line is found with its beginning and its end", () => {
  const [start, end] = rangeOf(TEXT, 2);
  expect(TEXT.slice(start, end)).toBe('  "a": 1');
  expect(rangeOf(TEXT, 1)).toEqual([0, 1]);
  expect(TEXT.slice(...rangeOf(TEXT, 3))).toBe("}");
});

test("a line that is not there is the nearest", () => {
  expect(rangeOf(TEXT, 0)).toEqual(rangeOf(TEXT, 1));
  expect(rangeOf(TEXT, 99)).toEqual(rangeOf(TEXT, 3));
  expect(rangeOf("", 7)).toEqual([0, 0]);
});

test("every line has its number, an empty last one too", () => {
  expect(numbersOf("")).toBe("1");
  expect(numbersOf("a\nb\n")).toBe("1\n2\n3");
});
