/** A notice of the server to this worker, such as a warning or the end of a pause, until the worker closes it. */

import type { WorkStatus } from "../api";

export interface RemarkProps {
  workStatus: WorkStatus | null;
  onInstructions: () => void;
  onClose: () => void;
}

export function Remark({ workStatus, onInstructions, onClose }: RemarkProps) {
  if (!workStatus?.notice) return null;
  return (
    <section class="notice notice-warn remark" role="status" aria-label="A word about your work">
      <p>{workStatus.notice.text}</p>
      <p class="row">
        <button type="button" class="btn btn-small" onClick={onInstructions}>
          Instructions
        </button>
        <button type="button" class="btn btn-small" data-close-notice onClick={onClose}>
          Close
        </button>
      </p>
    </section>
  );
}
