/**
 * Reads the JSON Schema (draft 2020-12) of the form's grammar: which values a place may have, and which shape a value
 * has.
 */

export interface Schema {
  $ref?: string;
  $defs?: Readonly<Record<string, Schema>>;
  title?: string;
  description?: string;
  deprecated?: boolean;
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  minProperties?: number;
  maxProperties?: number;
  dependentRequired?: Readonly<Record<string, readonly string[]>>;
  not?: Schema;
  items?: Schema | false;
  prefixItems?: readonly Schema[];
  minItems?: number;
  maxItems?: number;
  maxLength?: number;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const SPAN = "#/$defs/SPAN";

/** The grammar of forms, with references resolved and places for words of the command recognised. */
export class Grammar {
  constructor(readonly root: Schema) {}

  /** Resolves the reference of a schema. Keywords beside the reference win. */
  follow(schema: Schema): Schema {
    let found = schema;
    while (found.$ref) {
      const { $ref, ...beside } = found;
      const target = $ref
        .split("/")
        .slice(1)
        .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], this.root);
      found = { ...((target as Schema | undefined) ?? {}), ...beside };
    }
    return found;
  }

  isSpan(schema: Schema): boolean {
    for (let at = schema; at.$ref; at = this.root.$defs?.[at.$ref.split("/").at(-1) ?? ""] ?? {})
      if (at.$ref === SPAN) return true;
    return false;
  }

  /** The shapes to choose from, with nested choices flattened; one shape if there is no choice. */
  shapes(schema: Schema): Schema[] {
    if (this.isSpan(schema)) return [schema];
    const found = this.follow(schema);
    const choices = found.oneOf ?? found.anyOf;
    if (!choices) return [schema];
    return choices.filter((choice) => !choice.deprecated).flatMap((choice) => this.shapes(choice));
  }

  /** The index of the shape that fits a value best; null if none fits. */
  shapeOf(shapes: readonly Schema[], value: Json): number | null {
    let best: number | null = null;
    let most = 0;
    shapes.forEach((shape, index) => {
      const score = this.likeness(shape, value);
      if (score > most) [best, most] = [index, score];
    });
    return best;
  }

  /** How well a shape fits: 0 is impossible, and each known key adds to it. */
  private likeness(shape: Schema, value: Json): number {
    if (this.isSpan(shape)) return Array.isArray(value) && value.length === 2 && typeof value[0] === "number" ? 1 : 0;
    const schema = this.follow(shape);
    if ("const" in schema) return schema.const === value ? 1 : 0;
    if (schema.enum) return schema.enum.includes(value) ? 1 : 0;
    if (schema.oneOf || schema.anyOf) return Math.max(0, ...this.shapes(shape).map((one) => this.likeness(one, value)));
    if (schema.type === "array") return Array.isArray(value) ? 1 : 0;
    if (schema.type === "string") return typeof value === "string" ? 1 : 0;
    if (schema.type !== "object" || !isObject(value)) return 0;
    const known = schema.properties ?? {};
    const tags = Object.entries(known).filter(([, one]) => "const" in one);
    if (tags.some(([key, one]) => key in value && value[key] !== one.const)) return 0;
    const keys = Object.keys(value);
    const sure = tags.filter(([key]) => key in value && (schema.required ?? []).includes(key)).length;
    const missing = (schema.required ?? []).filter((key) => !(key in value)).length;
    if (keys.length > 0 && keys.every((key) => !(key in known))) return 0;
    return (
      1 +
      10 * sure +
      keys.filter((key) => key in known).length -
      0.6 * missing -
      0.8 * keys.filter((key) => !(key in known)).length
    );
  }

  /** The smallest value that is allowed; null if the worker must choose first. */
  blank(schema: Schema): Json {
    if (this.isSpan(schema)) return [0, []];
    const found = this.follow(schema);
    if ("const" in found) return found.const as Json;
    if (found.enum) return found.enum.length === 1 ? (found.enum[0] as Json) : null;
    if (found.oneOf || found.anyOf) {
      const shapes = this.shapes(schema);
      return shapes.length === 1 && shapes[0] ? this.blank(shapes[0]) : null;
    }
    if (found.type === "string") return "";
    if (found.type === "array")
      return Array.from({ length: Math.min(found.minItems ?? 0, 3) }, () => this.blank(found.items || {}));
    if (found.type === "object")
      return Object.fromEntries((found.required ?? []).map((key) => [key, this.blank(found.properties?.[key] ?? {})]));
    return null;
  }

  /** The value in another shape: keys that both shapes have are kept. */
  reshaped(value: Json, shape: Schema): Json {
    const fresh = this.blank(shape);
    const known = this.follow(shape).properties ?? {};
    if (!isObject(fresh) || !isObject(value)) return fresh;
    const kept = Object.entries(value).filter(([key]) => key in known && !("const" in (known[key] ?? {})));
    return { ...fresh, ...Object.fromEntries(kept) };
  }

  /** The keys that can still be added to an object of this shape. */
  addable(shape: Schema, value: JsonObject): string[] {
    const schema = this.follow(shape);
    if (Object.keys(value).length >= (schema.maxProperties ?? Infinity)) return [];
    const shut = schema.not?.required ?? [];
    return Object.keys(schema.properties ?? {}).filter((key) => {
      if (key in value || schema.properties?.[key]?.deprecated) return false;
      return !(shut.includes(key) && shut.filter((one) => one in value || one === key).length === shut.length);
    });
  }

  /** The object with one more key, and with the keys that this one requires. */
  withKey(shape: Schema, value: JsonObject, key: string): JsonObject {
    const schema = this.follow(shape);
    const more = [key, ...(schema.dependentRequired?.[key] ?? [])].filter((one) => !(one in value));
    return { ...value, ...Object.fromEntries(more.map((one) => [one, this.blank(schema.properties?.[one] ?? {})])) };
  }

  /** The name of a shape in a list of shapes. */
  nameOf(shape: Schema): string {
    if (this.isSpan(shape)) return "words of the command";
    const schema = this.follow(shape);
    if ("const" in schema) return String(schema.const);
    if (schema.enum)
      return schema.enum.length <= 3
        ? schema.enum.join(", ")
        : `${schema.enum.slice(0, 2).join(", ")} … (${schema.enum.length})`;
    if (schema.title)
      return schema.description && schema.description !== schema.title
        ? `${schema.title}: ${schema.description}`
        : schema.title;
    const keys = Object.keys(schema.properties ?? {});
    if (keys.length === 1 && keys[0] === "fixed_value") return "a fixed text";
    if (schema.description) return schema.description;
    if (schema.type === "object") return keys.slice(0, 3).join(", ") + (keys.length > 3 ? " …" : "");
    return { string: "a text", array: "a list" }[schema.type ?? ""] ?? "something else";
  }
}
