/** Builders for tests of any folder. */

import { vi } from "vitest";
import type { WorkApi } from "../src/work/api";
import type { Press } from "../src/work/focus";
import type { Saved } from "../src/work/drafts";

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

/** The interface to a server that hands out these tasks one by one, then none, and accepts everything. */
export function workApi<Claim, Answer, Draft extends Saved>(
  tasks: readonly string[],
  claimOf: (assignment: string) => Claim,
  own: Partial<WorkApi<Claim, Answer, Draft>> = {},
): WorkApi<Claim, Answer, Draft> {
  const left = tasks.map(claimOf);
  return {
    claim: vi.fn(async () => left.shift() ?? null),
    ahead: async () => null,
    submit: vi.fn(async () => {}),
    correct: vi.fn(async () => {}),
    saveDraft: vi.fn(async () => {}),
    heartbeat: vi.fn(async () => Date.now() + 600_000),
    release: vi.fn(async () => {}),
    report: vi.fn(async () => {}),
    workStatus: async () => Promise.reject(new Error("no number in the corner here")),
    summary: async () => Promise.reject(new Error("no summary here")),
    closeNotice: async () => {},
    serverNow: () => Date.now(),
    ...own,
  };
}

/** Replaces the browser's frames by ones that the test draws, and the rest that a picture needs by nothing. */
export function stubFrames() {
  let waiting: ((now: number) => void)[] = [];
  const resized: (() => void)[] = [];
  vi.stubGlobal("requestAnimationFrame", (one: (now: number) => void) => waiting.push(one));
  vi.stubGlobal("cancelAnimationFrame", () => (waiting = []));
  vi.stubGlobal("matchMedia", () => new EventTarget());
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("removeEventListener", () => {});
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(seen: () => void) {
        resized.push(seen);
      }
      observe(): void {}
      disconnect(): void {}
    },
  );
  return {
    waiting: () => waiting.length,
    resize: () => resized.forEach((seen) => seen()),
    /** Draws the frames that wait; their number. */
    draw(now = 0): number {
      const due = waiting;
      waiting = [];
      for (const one of due) one(now);
      return due.length;
    },
  };
}
