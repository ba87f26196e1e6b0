/** The header: what was earned, the light, the clock, and the buttons. */

import { NotAccepted } from "../../../work/view/decisions";
import { money } from "../../../work/formats";
import { clockWords } from "../texts";
import { elapsed_s } from "../session_status";
import { Dropdown } from "./dropdown";
import { Light } from "./light";
import { useNow, useView } from "./page";

export function Header() {
  const { page, state } = useView();
  const { live, workStatus, screen } = state;
  const isSitting = screen.is === "judging" && live.phase !== "ended" && live.closedBy === null;
  return (
    <>
      <p class="status-line">
        {workStatus && (
          <>
            <span class="live-earned">earned {money(workStatus.earned)}</span>{" "}
            <NotAccepted decisions={workStatus.decisions} />
          </>
        )}
      </p>
      {isSitting && live.light && <Light rule={live.light} />}
      {isSitting && <Clock />}
      <Instructions />
      <button type="button" class="btn btn-quiet btn-keys" onClick={page.help}>
        Keys <kbd>?</kbd>
      </button>
      {isSitting && live.phase === "running" && (
        <button
          type="button"
          class={`btn live-finish ${live.mayFinish && !state.isReflecting ? "btn-primary" : ""}`}
          data-to-last
          onClick={() => page.store.dispatch({ type: "last", isOpen: !state.isReflecting })}
        >
          {state.isReflecting ? "Back" : "Finish …"}
        </button>
      )}
    </>
  );
}

function Clock() {
  const { live } = useView().state;
  const now = useNow(live.phase === "running" ? 250 : null);
  const elapsed = elapsed_s(live, now);
  return (
    <p class="live-clock num" role="timer" aria-label="Clock" data-clock>
      {clockWords(elapsed, live.clock.minimum_s)}
      {elapsed >= live.clock.minimum_s && live.phase === "running" && (
        <span aria-label="the minimum time is over"> ✓</span>
      )}
    </p>
  );
}

/** The instructions under their button, with the world still in view. */
function Instructions() {
  const { page } = useView();
  const fill = (panel: HTMLElement): void =>
    panel.replaceChildren(
      ...page.instructionPages().map((section) => {
        const copy = section.cloneNode(true) as HTMLElement;
        copy.hidden = false;
        return copy;
      }),
    );
  return (
    <Dropdown
      id="live-instructions"
      label="Instructions"
      buttonClass="btn btn-quiet"
      onOpen={fill}
      data-instructions-again
    >
      Instructions <span aria-hidden="true">▾</span>
    </Dropdown>
  );
}
