/** A set of flat indices as a short text: sorted runs `start+length` in base 36, the length omitted if it is one. */

const RUN = /^([0-9a-z]{1,6})(?:\+([0-9a-z]{1,6}))?$/;

export function sorted(cells: Iterable<number>): number[] {
  return [...cells].sort((a, b) => a - b);
}

export function toRuns(cells: Iterable<number>): string {
  const runs: string[] = [];
  let start = -1;
  let length = 0;
  const close = (): void => {
    if (length > 0) runs.push(start.toString(36) + (length > 1 ? `+${length.toString(36)}` : ""));
  };
  for (const cell of sorted(cells)) {
    if (cell === start + length) length += 1;
    else {
      close();
      start = cell;
      length = 1;
    }
  }
  close();
  return runs.join(" ");
}

/** The cells of a stored text. Invalid runs and runs beyond the scene are skipped. */
export function fromRuns(text: unknown, volume: number): Set<number> {
  const found = new Set<number>();
  if (typeof text !== "string") return found;
  for (const run of text.split(" ")) {
    const [, first, count = "1"] = RUN.exec(run) ?? [];
    if (first === undefined) continue;
    const start = Number.parseInt(first, 36);
    const end = start + Number.parseInt(count, 36);
    if (end > volume) continue;
    for (let cell = start; cell < end; cell += 1) found.add(cell);
  }
  return found;
}
