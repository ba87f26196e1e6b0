import { expect, test, vi } from "vitest";
import type { WorkApi } from "../../../src/work/api";
import { beforeOf, MOST_CHARACTERS, newerDraft, sparing } from "../../../src/tools/voxels/drafts";
import type { Answer, Claim, Draft } from "../../../src/tools/voxels/payload";
import { LAWN } from "./make";

const CAMERA = { target: [1, 2, 3], yaw: 30, pitch: -30, distance: 9 } as const;
const DRAFT: Draft = {
  marks: "3+2",
  absent: false,
  tool: "box",
  camera: CAMERA,
  text: "",
  active_s: 3,
  saved_at: "2026-11-21T10:00:00Z",
};
const claim = (draft: unknown): Claim => ({ payload: { scene: LAWN, phrase: "it" }, draft }) as unknown as Claim;

test("the newer of two drafts is gone on with, exactly", () => {
  const later = { ...DRAFT, marks: "9", saved_at: "2026-11-21T10:00:01Z" };
  expect(newerDraft(claim(DRAFT), later)).toEqual(later);
  expect(newerDraft(claim(later), DRAFT)).toEqual(later);
  expect(newerDraft(claim(null), null)).toBeNull();
  expect(beforeOf(DRAFT, 180)).toEqual({ marks: new Set([3, 4]), isAbsent: false, tool: "box", camera: CAMERA });
  expect(beforeOf(null, 180)).toEqual({});
});

test.each([
  ["a tool there is none of", { tool: "laser" }, { tool: "whole" }],
  ["a camera without a place", { camera: { ...CAMERA, target: [1, 2] } }, { camera: null }],
  ["a camera with no number", { camera: { ...CAMERA, yaw: Number.NaN } }, { camera: null }],
  ["a camera that stands upside down", { camera: { ...CAMERA, pitch: 120 } }, { camera: null }],
  ["marks that are no text", { marks: [1] }, { marks: "" }],
  ["absence that is no yes", { absent: "yes" }, { absent: false }],
  ["a text that is too long", { text: "x".repeat(201) }, { text: "x".repeat(200) }],
])("of a stored draft with %s the rest is kept", (_, odd, sound) => {
  expect(newerDraft(claim({ ...DRAFT, ...odd }), null)).toEqual({ ...DRAFT, ...sound });
});

test.each(["", 7, [], { ...DRAFT, saved_at: "yesterday" }, { ...DRAFT, saved_at: undefined }])(
  "%j is no draft",
  (stored) => {
    expect(newerDraft(claim(stored), null)).toBeNull();
  },
);

test("a draft that the server would refuse for its length stays in this browser", async () => {
  const saveDraft = vi.fn(() => Promise.resolve());
  const api = sparing({ saveDraft } as unknown as WorkApi<Claim, Answer, Draft>);
  const around = JSON.stringify({ ...DRAFT, marks: "" }).length;
  await api.saveDraft("a", { ...DRAFT, marks: "x".repeat(MOST_CHARACTERS - around) });
  expect(saveDraft).not.toHaveBeenCalled();
  await api.saveDraft("a", { ...DRAFT, marks: "x".repeat(MOST_CHARACTERS - around - 1) });
  expect(saveDraft).toHaveBeenCalledOnce();
});
