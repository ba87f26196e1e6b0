import { expect, test } from "vitest";
import { newerDraft } from "../../../src/tools/marker/drafts";
import type { Draft } from "../../../src/tools/marker/payload";
import { Drafts } from "../../../src/work/drafts";
import { browserStorage } from "../../../src/work/storage";

const draft = (over: Partial<Draft> = {}): Draft => ({
  outcome: "success",
  frame: 40,
  position: 41,
  active_s: 2,
  saved_at: "2026-01-01T10:00:00Z",
  ...over,
});

/** A Storage as in browsers, in memory. */
function memory(): Storage {
  const kept = new Map<string, string>();
  return {
    get length() {
      return kept.size;
    },
    clear: () => kept.clear(),
    getItem: (key) => kept.get(key) ?? null,
    key: (index) => [...kept.keys()][index] ?? null,
    removeItem: (key) => void kept.delete(key),
    setItem: (key, value) => void kept.set(key, value),
  };
}

test("the newer draft wins, wherever it was kept", () => {
  const older = draft();
  const newer = draft({ frame: 50, saved_at: "2026-01-01T10:00:01.500Z" });
  expect(newerDraft(older, newer)?.frame).toBe(50);
  expect(newerDraft(newer, older)?.frame).toBe(50);
  expect(newerDraft(null, older)?.frame).toBe(40);
  expect(newerDraft(null, null)).toBeNull();
});

test("what is no draft is none, and half a marker is no marker", () => {
  expect(newerDraft({ position: 3 }, null)).toBeNull();
  expect(newerDraft({ saved_at: "yesterday", position: 3 }, null)).toBeNull();
  expect(newerDraft({ ...draft(), frame: null }, null)).toMatchObject({ outcome: null, frame: null, position: 41 });
});

test("drafts of tasks that are over are forgotten, those in hand and unsent answers are not", () => {
  const storage = memory();
  const drafts = new Drafts<Draft, unknown>(browserStorage("cw", () => storage));
  drafts.save("a1", draft());
  drafts.save("a2", draft());
  drafts.holdUnsent({ assignment: "a1", answer: { outcome: "success", frame: 40 }, active_s: 2 });
  storage.setItem("other:draft:a9", "{}");
  drafts.tidy(["a2"]);
  expect(drafts.local("a1")).toBeNull();
  expect(drafts.local("a2")?.frame).toBe(40);
  expect(drafts.unsent()?.assignment).toBe("a1");
  expect(storage.getItem("other:draft:a9")).toBe("{}");
});

test("a browser that keeps nothing does no harm", () => {
  const drafts = new Drafts<Draft, unknown>(
    browserStorage("cw", () => {
      throw new Error("forbidden");
    }),
  );
  drafts.save("a1", draft());
  drafts.tidy([]);
  expect(drafts.local("a1")).toBeNull();
});
