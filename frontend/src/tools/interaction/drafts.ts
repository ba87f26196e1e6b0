/** Data that this browser stores of a session: unsent words and the worker's position. */

import type { Pose } from "../../world/frame";
import type { Draft, OwnWords } from "./payload";

/** The stored draft, checked; null if it cannot be used. */
export function soundDraft(stored: unknown): Draft | null {
  if (typeof stored !== "object" || stored === null) return null;
  const draft = stored as Partial<Draft>;
  return {
    text: typeof draft.text === "string" ? draft.text : "",
    remark: typeof draft.remark === "string" ? draft.remark : "",
    wrote: soundWrote(draft.wrote),
    pose: soundPose(draft.pose),
    active_s: typeof draft.active_s === "number" ? draft.active_s : 0,
    saved_at: typeof draft.saved_at === "string" ? draft.saved_at : "",
  };
}

function soundWrote(stored: unknown): OwnWords | null {
  if (typeof stored !== "object" || stored === null) return null;
  const { command, node, text } = stored as Partial<OwnWords>;
  return [command, node, text].every((one) => typeof one === "string") ? (stored as OwnWords) : null;
}

function soundPose(stored: unknown): Pose | null {
  if (typeof stored !== "object" || stored === null) return null;
  const { x, y, z, pitch, yaw } = stored as Partial<Pose>;
  return [x, y, z, pitch, yaw].every(Number.isFinite) ? (stored as Pose) : null;
}

/** The pose with its yaw between -180 and 180 degrees, as the server expects it. */
export function wirePose({ x, y, z, pitch, yaw }: Pose): Pose {
  return { x, y, z, pitch, yaw: Math.round((((((yaw + 180) % 360) + 360) % 360) - 180) * 10) / 10 };
}

export const isSamePose = (a: Pose | null, b: Pose | null): boolean =>
  a === b ||
  (a !== null && b !== null && a.x === b.x && a.y === b.y && a.z === b.z && a.pitch === b.pitch && a.yaw === b.yaw);
