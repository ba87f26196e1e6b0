/** The decision: an answer by marker or another act, the reason, and the button that sends it. */

import type { RefObject } from "preact";
import { markerWords, noticeWords, SIGN } from "../../../tools/marker/texts";
import { keepFocus } from "../../../work/focus";
import { usePlayer } from "../../../tools/marker/view/page";
import { actHelp, actWords, answerWords } from "../texts";
import { ACT_KEY } from "../keys";
import { actsOf, faultAt } from "../state";
import { useReview } from "./context";

export function Decide({ reason }: { reason: RefObject<HTMLTextAreaElement | null> }) {
  const { page, state } = useReview();
  const { data } = page;
  const acts = actsOf(data);
  if (acts.length === 0) {
    return <p class="notice">You may look at this, but only reviewers of this project decide.</p>;
  }
  const wrongReason = faultAt(state, "#/reason");
  const general =
    state.trouble?.detail ||
    state.trouble?.faults
      .filter((fault) => !/^#\/(reason|answer)/.test(fault.pointer))
      .map((fault) => fault.detail)
      .join(" ");
  const { send } = actWords(state.act, data.two_persons);
  return (
    <form
      class="decide card"
      aria-label="Your decision"
      onSubmit={(event) => {
        event.preventDefault();
        void page.send();
      }}
    >
      {data.proposed && (
        <p class="decide-proposal">
          {data.proposed.is_mine ? "You" : data.proposed.by} proposed <b>{answerWords(data.proposed.answer)}</b>: “
          {data.proposed.reason}”{data.proposed.is_mine && " Another reviewer confirms it."}
        </p>
      )}
      {acts.includes("adjudicate") && <Answer />}
      <div class="decide-acts" role="group" aria-label="Or" onMouseDown={keepFocus}>
        {acts
          .filter((act) => act !== "adjudicate")
          .map((act) => (
            <button
              key={act}
              type="button"
              class="btn btn-small"
              aria-pressed={state.act === act}
              onClick={() => page.do({ do: "act", act })}
            >
              {actWords(act, data.two_persons).label} <kbd>{ACT_KEY[act]}</kbd>
            </button>
          ))}
      </div>
      <label class="field">
        <span>Reason</span>
        <textarea
          ref={reason}
          rows={2}
          maxLength={2000}
          value={state.reason}
          aria-invalid={wrongReason !== ""}
          aria-describedby="decide-help decide-wrong"
          onInput={(event) => page.store.dispatch({ type: "reason", text: event.currentTarget.value })}
        />
      </label>
      <p class="errorlist" id="decide-wrong" role="alert">
        {wrongReason || general}
      </p>
      <div class="row row-between">
        <span class="help" id="decide-help">
          {actHelp(state.act, data.two_persons)}
        </span>
        <button type="submit" class="btn btn-primary" aria-disabled={state.isSending}>
          {state.isSending ? (
            "Sending …"
          ) : (
            <>
              {send} <kbd>Ctrl ⏎</kbd>
            </>
          )}
        </button>
      </div>
    </form>
  );
}

/** The buttons of the marker, as on the worker's page. */
function Answer() {
  const { page, state } = useReview();
  const { state: markerState, table } = usePlayer();
  const { marker, task, notice, asked } = markerState;
  const isNever = marker?.outcome === "failure" && marker.at === task?.never;
  const wrong = faultAt(state, "#/answer");
  return (
    <>
      <div class="decide-marks" role="group" aria-label="Your answer" onMouseDown={keepFocus}>
        <button
          type="button"
          class="btn btn-mark btn-mark-success"
          aria-pressed={marker?.outcome === "success"}
          onClick={() => page.do({ do: "place", outcome: "success" })}
        >
          <span aria-hidden="true">{SIGN.success}</span> Success here <kbd>S</kbd>
        </button>
        <button
          type="button"
          class="btn btn-mark btn-mark-failure"
          aria-pressed={marker?.outcome === "failure" && !isNever}
          onClick={() => page.do({ do: "place", outcome: "failure" })}
        >
          <span aria-hidden="true">{SIGN.failure}</span> Failure here <kbd>F</kbd>
        </button>
        <button
          type="button"
          class="btn btn-mark btn-mark-failure"
          aria-pressed={isNever}
          onClick={() => page.do({ do: "never" })}
        >
          Never did it <kbd>N</kbd>
        </button>
      </div>
      <p
        class="decide-marker num"
        {...(marker ? { "data-marker-frame": marker.at, "data-marker-kind": marker.outcome } : {})}
      >
        {marker && table
          ? `Your answer: ${markerWords(markerState, table)}, frame ${marker.at}`
          : asked
            ? "Waiting for the exact picture …"
            : "No answer of yours yet"}
      </p>
      {(wrong || notice) && (
        <p class="errorlist" role="alert">
          {wrong || (notice ? noticeWords(notice, task, table) : "")}
        </p>
      )}
    </>
  );
}
