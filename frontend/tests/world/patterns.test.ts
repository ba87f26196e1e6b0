import { expect, test } from "vitest";
import { fillOf, PAINT_STYLES, ORDER, PATTERNS, type PaintStyle } from "../../src/world/patterns";

const names = Object.keys(PAINT_STYLES) as PaintStyle[];

test("no two styles share colour and pattern", () => {
  expect(new Set(names.map((name) => `${PAINT_STYLES[name].colour} ${PAINT_STYLES[name].pattern}`)).size).toBe(
    names.length,
  );
});

test.each([
  ["a voxel of one, the other or both", ["only-a", "only-b", "both"]],
  ["a marked block and marked air", ["marked", "marked-air"]],
  ["five shares", ["share-1", "share-2", "share-3", "share-4", "share-5"]],
] as const)("%s: told apart without any colour", (_what, group) => {
  expect(new Set(group.map((name) => PAINT_STYLES[name].pattern)).size).toBe(group.length);
});

test("a greater share is darker", () => {
  const bright = (["share-1", "share-2", "share-3", "share-4", "share-5"] as const).map((name) => {
    const value = Number.parseInt(PAINT_STYLES[name].colour.slice(1), 16);
    return 0.2126 * (value >> 16) + 0.7152 * ((value >> 8) & 255) + 0.0722 * (value & 255);
  });
  expect(bright).toEqual([...bright].sort((a, b) => b - a));
});

test("each style has a place in the drawing order and a pattern that is drawn", () => {
  expect([...ORDER].sort()).toEqual([...names].sort());
  for (const name of names) expect(PATTERNS).toContain(PAINT_STYLES[name].pattern);
});

test("the pattern shows: it covers no less than what is between, and marked air covers less than a marked block", () => {
  for (const name of names) expect(fillOf(name).dense >= fillOf(name).thin).toBe(true);
  for (const name of names.filter((one) => PAINT_STYLES[one].pattern !== "solid"))
    expect(fillOf(name).dense - fillOf(name).thin).toBeGreaterThan(0.3);
  expect(fillOf("marked-air").thin).toBeLessThan(fillOf("marked").thin);
});
