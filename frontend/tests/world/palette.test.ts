import { expect, test } from "vitest";
import { channels, material, MATERIALS } from "../../src/world/palette";

test("each id from 1 to 69 has a name, a colour and a word", () => {
  expect(MATERIALS.map(({ id }) => id)).toEqual(Array.from({ length: 69 }, (_, index) => index + 1));
  for (const one of MATERIALS) {
    expect(one.colour).toMatch(/^#[0-9a-f]{6}$/);
    expect(one.name && one.word).toBeTruthy();
    expect(material(one.id)).toBe(one);
  }
});

test("an unknown id is named as what it is", () => {
  expect(material(200)).toMatchObject({ id: 200, name: "Block 200" });
});

test("a colour in channels", () => {
  expect(channels("#ff0033")).toEqual([1, 0, 0.2]);
});
