/** The panel over the world that leads through the first minute of a worker's first session. */

import { firstMinute, STEP_COUNT } from "../first_minute";
import { useView } from "./page";

export function FirstMinutePanel() {
  const { page, state } = useView();
  const next = firstMinute(state);
  if (!next) return null;
  return (
    <div class="live-first" data-first-minute={next.done}>
      <p class="small muted">
        First steps{" "}
        <span class="coach-dots" aria-hidden="true">
          {"●".repeat(next.done) + "○".repeat(STEP_COUNT - next.done)}
        </span>
      </p>
      <p class="live-first-say" role="status">
        <b>{next.say}</b>
      </p>
      <button
        type="button"
        class="btn btn-small"
        data-skip-first-minute
        onClick={(event) => {
          // The button vanishes, and the focus must not be lost.
          event.currentTarget.closest(".live-stage")?.querySelector<HTMLElement>("[data-world]")?.focus();
          page.store.dispatch({ type: "no_help" });
        }}
      >
        I know how
      </button>
    </div>
  );
}
