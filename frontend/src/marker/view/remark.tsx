/** What the server has to say to this worker beside the work, until they close it: a warning, or that a pause is over. */

import { useView } from "./page";

export function Remark() {
  const { page, state } = useView();
  const notice = state.standing?.notice;
  if (!notice) return null;
  return (
    <section class="notice notice-warn remark" role="status" aria-label="A word about your work">
      <p>{notice.text}</p>
      <p class="row">
        <button type="button" class="btn btn-small" onClick={page.openInstructions}>
          Instructions
        </button>
        <button type="button" class="btn btn-small" data-close-notice onClick={() => void page.session?.closeNotice()}>
          Close
        </button>
      </p>
    </section>
  );
}
