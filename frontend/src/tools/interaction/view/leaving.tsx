/** The dialog about leaving early states the rule before the worker leaves. */

import { Modal } from "../../../work/view/dialogs";
import { FINISH_INSTEAD, LEAVING } from "../texts";
import { bonusIfLeft } from "../light";
import { useView } from "./page";

export function Leaving() {
  const { page, state } = useView();
  const close = (): void => page.store.dispatch({ type: "leaving", isOpen: false });
  const { light, scores } = state.live;
  const bonus = bonusIfLeft(light, scores.at(-1) ?? null);
  const isSending = state.sending.is !== "idle";
  return (
    <Modal title="Leave early?" onClose={close}>
      {state.live.mayFinish && (
        <p data-finish-instead>
          <b>{FINISH_INSTEAD}</b>
        </p>
      )}
      <p>{LEAVING}</p>
      {bonus && <p data-bonus-if-left>{bonus}</p>}
      <p class="muted">
        You cannot come back into this session. If the assistant only has lost its connection, your time goes on
        counting while you wait.
      </p>
      <div class="row row-end">
        <button type="button" class="btn btn-primary" data-stay onClick={close}>
          Stay
        </button>
        <button
          type="button"
          class="btn btn-danger"
          data-leave-now
          aria-disabled={isSending}
          onClick={() => !isSending && void page.session.leaveEarly()}
        >
          {isSending ? "Leaving …" : "Leave now"}
        </button>
      </div>
    </Modal>
  );
}
