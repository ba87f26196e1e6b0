/** The draft of a scene: marks, tool and camera. Anything may be stored. */

import { newerOf } from "../../work/drafts";
import type { WorkApi } from "../../work/api";
import type { Camera } from "../../world/camera";
import type { Before } from "./marking/marking";
import type { Answer, Claim, Draft } from "./payload";
import { fromRuns } from "./marking/runs";
import { LONGEST_PHRASE } from "./state";
import { FIRST_TOOL, isTool } from "./marking/tools";

/** Longer drafts stay in this browser, because the server does not accept them. */
export const MOST_CHARACTERS = 60_000;

/** The work API without drafts that are too long. */
export function sparing(api: WorkApi<Claim, Answer, Draft>): WorkApi<Claim, Answer, Draft> {
  return {
    ...api,
    saveDraft: (assignment, draft, leaving) =>
      JSON.stringify(draft).length < MOST_CHARACTERS ? api.saveDraft(assignment, draft, leaving) : Promise.resolve(),
  };
}

export function newerDraft(claim: Claim, local: Partial<Draft> | null): Draft | null {
  return newerOf(claim.draft, local, soundDraft);
}

function soundDraft(stored: unknown): Draft | null {
  if (typeof stored !== "object" || stored === null) return null;
  const draft = stored as Partial<Draft>;
  if (Number.isNaN(Date.parse(draft.saved_at ?? ""))) return null;
  return {
    marks: typeof draft.marks === "string" ? draft.marks : "",
    absent: draft.absent === true,
    tool: isTool(draft.tool) ? draft.tool : FIRST_TOOL,
    camera: soundCamera(draft.camera),
    text: typeof draft.text === "string" ? draft.text.slice(0, LONGEST_PHRASE) : "",
    active_s: typeof draft.active_s === "number" ? draft.active_s : 0,
    saved_at: draft.saved_at ?? "",
  };
}

function soundCamera(stored: unknown): Camera | null {
  if (typeof stored !== "object" || stored === null) return null;
  const { target, yaw, pitch, distance } = stored as Partial<Camera>;
  const numbers =
    Array.isArray(target) && target.length === 3 ? [...(target as readonly unknown[]), yaw, pitch, distance] : [];
  if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return null;
  return Number(distance) > 0 && Math.abs(Number(pitch)) <= 89 ? (stored as Camera) : null;
}

/** The start values from a draft. */
export function beforeOf(draft: Draft | null, volume: number): Before {
  if (!draft) return {};
  return {
    marks: fromRuns(draft.marks, volume),
    isAbsent: draft.absent,
    camera: draft.camera,
    ...(isTool(draft.tool) ? { tool: draft.tool } : {}),
  };
}
