/** What this browser keeps of a session: the words that are not sent yet, and where the worker stands. */

import type { Pose } from "../world/frame";
import type { Draft, Wrote } from "./payload";

/** Whatever was stored, as what it should be; null where it is nothing of ours. */
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

function soundWrote(stored: unknown): Wrote | null {
  if (typeof stored !== "object" || stored === null) return null;
  const { command, node, text } = stored as Partial<Wrote>;
  return [command, node, text].every((one) => typeof one === "string") ? (stored as Wrote) : null;
}

function soundPose(stored: unknown): Pose | null {
  if (typeof stored !== "object" || stored === null) return null;
  const { x, y, z, pitch, yaw } = stored as Partial<Pose>;
  return [x, y, z, pitch, yaw].every(Number.isFinite) ? (stored as Pose) : null;
}

/** Within half a turn to either side, as the wire has it. */
export function wirePose({ x, y, z, pitch, yaw }: Pose): Pose {
  return { x, y, z, pitch, yaw: Math.round((((((yaw + 180) % 360) + 360) % 360) - 180) * 10) / 10 };
}

export const isSamePose = (a: Pose | null, b: Pose | null): boolean =>
  a === b || (a !== null && b !== null && a.x === b.x && a.y === b.y && a.z === b.z && a.pitch === b.pitch && a.yaw === b.yaw);
