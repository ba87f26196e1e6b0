import { describe, expect, test } from "vitest";
import { exactTime, frame, place, seconds } from "../../../src/tools/marker/units";

describe("times in words", () => {
  test.each([
    [0, "0.000 s"],
    [373 / 30, "12.433 s"],
    [299.9996, "300.000 s"],
  ])("%f is %s", (at, words) => expect(exactTime(seconds(at))).toBe(words));

  test("a place names the time and the 0-based frame", () => {
    expect(place(seconds(373 / 30), frame(373), 8999)).toBe("12.433 s · frame 373 of 8999");
    expect(place(seconds(0), frame(0), 8999, ", ")).toBe("0.000 s, frame 0 of 8999");
  });
});
