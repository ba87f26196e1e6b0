import { expect, test } from "vitest";
import { at, child, nearest, withAt } from "../../../../src/tools/parse/form_editor/pointers";
import { Grammar, type Schema } from "../../../../src/tools/parse/form_editor/grammar";

const SCHEMA: Schema = {
  $ref: "#/$defs/ROOT",
  $defs: {
    SPAN: { type: "array" },
    ROOT: {
      oneOf: [
        {
          title: "GO",
          type: "object",
          properties: {
            kind: { const: "GO" },
            where: { description: "where to", $ref: "#/$defs/PLACE" },
            often: { type: "string" },
          },
          required: ["kind", "where"],
        },
        {
          title: "STOP",
          type: "object",
          properties: { kind: { const: "STOP" }, often: { type: "string" } },
          required: ["kind"],
        },
      ],
    },
    PLACE: {
      description: "the place",
      type: "object",
      properties: {
        said: { $ref: "#/$defs/SPAN" },
        side: { enum: ["LEFT", "RIGHT"] },
        one: { $ref: "#/$defs/SPAN" },
        two: { $ref: "#/$defs/SPAN" },
        old: { type: "string", deprecated: true },
        how: {
          anyOf: [
            { $ref: "#/$defs/SPAN" },
            { type: "object", properties: { fixed_value: { type: "string" } }, required: ["fixed_value"] },
            { enum: ["ALL", "SOME"] },
          ],
        },
      },
      minProperties: 1,
      dependentRequired: { one: ["two"] },
      not: { required: ["side", "one"] },
    },
  },
};
const grammar = new Grammar(SCHEMA);
const [GO, STOP] = grammar.shapes(SCHEMA) as [Schema, Schema];
const PLACE: Schema = { $ref: "#/$defs/PLACE" };

test("a form with no tag yet has no shape; a tag decides it", () => {
  expect(grammar.shapeOf([GO, STOP], null)).toBeNull();
  expect(grammar.shapeOf([GO, STOP], { kind: "STOP", often: "x" })).toBe(1);
  // A key that does not belong there is a fault, no other shape.
  expect(grammar.shapeOf([GO, STOP], { kind: "STOP", where: {} })).toBe(1);
});

test("the blank of a shape has its tag and the keys it needs, and goes no deeper than it must", () => {
  expect(grammar.blank(SCHEMA)).toBeNull();
  expect(grammar.blank(GO)).toEqual({ kind: "GO", where: {} });
  // Words not yet marked are still words, and no other shape.
  expect(grammar.blank({ $ref: "#/$defs/SPAN" })).toEqual([0, []]);
});

test("another shape keeps the keys that both have", () => {
  expect(grammar.reshaped({ kind: "GO", where: { side: "LEFT" }, often: "twice" }, STOP)).toEqual({
    kind: "STOP",
    often: "twice",
  });
});

test("only what may stand there can be added, and a key brings those it needs", () => {
  expect(grammar.addable(PLACE, {})).toEqual(["said", "side", "one", "two", "how"]);
  expect(grammar.addable(PLACE, { side: "LEFT" })).toEqual(["said", "two", "how"]);
  expect(grammar.withKey(PLACE, {}, "one")).toEqual({ one: [0, []], two: [0, []] });
});

test.each([
  [[0, [1, 2]], 0],
  [[0, []], 0],
  [{ fixed_value: "x" }, 1],
  ["SOME", 2],
  [17, null],
])("%j is told from the other shapes", (value, index) => {
  const shapes = grammar.shapes(SCHEMA.$defs!["PLACE"]!.properties!["how"]!);
  expect(grammar.shapeOf(shapes, value as never)).toBe(index);
});

test("what stands beside a reference is closer than what it refers to", () => {
  expect(grammar.follow(grammar.follow(GO).properties!["where"]!).description).toBe("where to");
});

test("places are set, made and taken away without touching the rest", () => {
  const form = { a: [{ b: 1 }, { b: 2 }], c: 3 };
  expect(at(form, "/a/1/b")).toBe(2);
  expect(at(form, "/a/7/b")).toBeUndefined();
  const changed = withAt(form, "/a/0/b", 9);
  expect(changed).toEqual({ a: [{ b: 9 }, { b: 2 }], c: 3 });
  expect(form.a[0]).toEqual({ b: 1 });
  expect(withAt(form, "/a/0", undefined)).toEqual({ a: [{ b: 2 }], c: 3 });
  expect(withAt(form, "/c", undefined)).toEqual({ a: form.a });
  expect(child("/a", "x/y~z")).toBe("/a/x~1y~0z");
  expect(withAt({ "x/y": 1 }, "/x~1y", 2)).toEqual({ "x/y": 2 });
});

test("a fault inside of what the tree does not show leads to the nearest place around it", () => {
  const shown = new Set(["/a", "/a/0"]);
  expect(nearest("/a/0/b/c", (path) => shown.has(path))).toBe("/a/0");
  expect(nearest("/z", (path) => shown.has(path))).toBe("");
});
