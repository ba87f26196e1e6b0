/** Builders for tests of any folder. */

import type { Press } from "../src/work/focus";

/** The press of a key, alone or with other keys held. */
export const press = (key: string, held: Partial<Press> = {}): Press => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});

/** Rows of numbers from text: `rows("1,1,1 2,1,1")` is `[[1, 1, 1], [2, 1, 1]]`. */
export const rows = <Row extends readonly number[] = readonly number[]>(text: string): Row[] =>
  text.split(" ").map((row) => row.split(",").map(Number) as unknown as Row);
