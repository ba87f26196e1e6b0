import { expect, test } from "vitest";
import { fillOf, LOOKS, ORDER, PATTERNS, type Look } from "../../src/world/looks";

const names = Object.keys(LOOKS) as Look[];

test("no two looks share colour and pattern", () => {
  expect(new Set(names.map((name) => `${LOOKS[name].colour} ${LOOKS[name].pattern}`)).size).toBe(names.length);
});

test.each([
  ["a voxel of one, the other or both", ["only-a", "only-b", "both"]],
  ["a marked block and marked air", ["marked", "marked-air"]],
  ["five shares", ["share-1", "share-2", "share-3", "share-4", "share-5"]],
] as const)("%s: told apart without any colour", (_what, group) => {
  expect(new Set(group.map((name) => LOOKS[name].pattern)).size).toBe(group.length);
});

test("a greater share is darker", () => {
  const bright = (["share-1", "share-2", "share-3", "share-4", "share-5"] as const).map((name) => {
    const value = Number.parseInt(LOOKS[name].colour.slice(1), 16);
    return 0.2126 * (value >> 16) + 0.7152 * ((value >> 8) & 255) + 0.0722 * (value & 255);
  });
  expect(bright).toEqual([...bright].sort((a, b) => b - a));
});

test("each look has its turn and a pattern that is drawn", () => {
  expect([...ORDER].sort()).toEqual([...names].sort());
  for (const name of names) expect(PATTERNS).toContain(LOOKS[name].pattern);
});

test("the pattern shows: it covers no less than what is between, and marked air covers less than a marked block", () => {
  for (const name of names) expect(fillOf(name).dense >= fillOf(name).thin).toBe(true);
  for (const name of names.filter((one) => LOOKS[one].pattern !== "solid")) expect(fillOf(name).dense - fillOf(name).thin).toBeGreaterThan(0.3);
  expect(fillOf("marked-air").thin).toBeLessThan(fillOf("marked").thin);
});
