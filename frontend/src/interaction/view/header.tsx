/** The top line: what was earned, the light of the session, the clock, and what can be opened. */

import { NotAccepted } from "../../shared/view/decisions";
import { money } from "../../shared/words";
import { clockWords } from "../copy";
import { elapsed_s } from "../standing";
import { Drop } from "./drop";
import { Light } from "./light";
import { useNow, useView } from "./page";

export function Header() {
  const { page, state } = useView();
  const { live, standing, screen } = state;
  const isSitting = screen.is === "judging" && live.phase !== "ended" && live.closedBy === null;
  return (
    <>
      <p class="status-line">
        {standing && (
          <>
            <span class="live-earned">earned {money(standing.earned)}</span> <NotAccepted decisions={standing.decisions} />
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
          class={`btn live-finish ${live.mayFinish && !state.isLast ? "btn-primary" : ""}`}
          data-to-last
          onClick={() => page.store.dispatch({ type: "last", isOpen: !state.isLast })}
        >
          {state.isLast ? "Back" : "Finish …"}
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
      {elapsed >= live.clock.minimum_s && live.phase === "running" && <span aria-label="the minimum time is over"> ✓</span>}
    </p>
  );
}

/** The instructions again, under the button, with the world still in view. */
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
    <Drop id="live-instructions" label="Instructions" look="btn btn-quiet" onOpen={fill} data-instructions-again>
      Instructions <span aria-hidden="true">▾</span>
    </Drop>
  );
}
