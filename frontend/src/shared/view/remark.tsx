/** What the server has to say to this worker beside the work, until they close it: a warning, or that a pause is over. */

import type { Standing } from "../work";

export interface RemarkProps {
  standing: Standing | null;
  onInstructions: () => void;
  onClose: () => void;
}

export function Remark({ standing, onInstructions, onClose }: RemarkProps) {
  if (!standing?.notice) return null;
  return (
    <section class="notice notice-warn remark" role="status" aria-label="A word about your work">
      <p>{standing.notice.text}</p>
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
