import { describe, expect, test } from "vitest";
import { clock, money, taskPosition, timeLeft } from "../../src/work/formats";

describe("times in words", () => {
  test.each([
    [-1, "0:00"],
    [2.99, "0:02"],
    [760, "12:40"],
    [3723, "1:02:03"],
  ])("the clock at %f is %s", (at, words) => expect(clock(at)).toBe(words));

  test.each([
    [899, "14 min left"],
    [120, "2 min left"],
    [119.5, "1:59 left"],
    [0, "no time left"],
  ])("with %f s it says %s", (left, words) => expect(timeLeft(left)).toBe(words));
});

test("money stays the decimal that the server sent", () => {
  expect(money({ amount: "1.80", currency: "USD" }, "en-US")).toBe("$1.80");
  expect(money({ amount: "9007199254740993.10", currency: "USD" }, "en-US")).toBe("$9,007,199,254,740,993.10");
  expect(money({ amount: "1.80", currency: "not a currency" }, "en-US")).toBe("1.80 not a currency");
});

test("the position counts the current task, and never more than there are", () => {
  expect(taskPosition({ done: 2, open: 38 })).toBe("3 of ~40");
  expect(taskPosition({ done: 40, open: 0 })).toBe("40 of ~40");
  expect(taskPosition({ done: 0, open: 0 })).toBe("1 of ~1");
});
