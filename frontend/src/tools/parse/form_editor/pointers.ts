/** Places in a form as JSON pointers (RFC 6901). Changes return a new form. */

import { isObject, type Json } from "./grammar";

export function pointer(keys: readonly (string | number)[]): string {
  return keys.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export function keysOf(path: string): string[] {
  return path === ""
    ? []
    : path
        .slice(1)
        .split("/")
        .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function child(path: string, key: string | number): string {
  return path + pointer([key]);
}

export function at(form: Json, path: string): Json | undefined {
  let found: Json | undefined = form;
  for (const key of keysOf(path)) {
    if (Array.isArray(found)) found = (found as readonly Json[])[Number(key)];
    else if (isObject(found)) found = found[key];
    else return undefined;
  }
  return found;
}

/** The form with another value at a place; `undefined` removes the place. */
export function withAt(form: Json, path: string, value: Json | undefined): Json {
  const [key, ...rest] = keysOf(path);
  if (key === undefined) return value ?? null;
  const below = pointer(rest);
  if (Array.isArray(form)) {
    const list = form as readonly Json[];
    const index = Number(key);
    if (rest.length === 0 && value === undefined) return list.filter((_, i) => i !== index);
    return list.map((item, i) => (i === index ? withAt(item, below, value) : item));
  }
  if (!isObject(form)) return form;
  if (rest.length === 0 && value === undefined) {
    const { [key]: _, ...others } = form;
    return others;
  }
  return { ...form, [key]: withAt(form[key] ?? null, below, value) };
}

/** The place, or the nearest one around it for which `isThere` is true. */
export function nearest(path: string, isThere: (path: string) => boolean): string {
  const keys = keysOf(path);
  for (let length = keys.length; length > 0; length -= 1) {
    const found = pointer(keys.slice(0, length));
    if (isThere(found)) return found;
  }
  return "";
}
