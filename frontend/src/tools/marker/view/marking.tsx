/** The answer: buttons for the marker, its text, and Submit. Every line has a fixed place, so nothing moves. */

import { sendingWords } from "../../../work/texts";
import { keepFocus } from "../../../work/focus";
import { SkipAndReport } from "../../../work/view/skip_and_report";
import { exactTime } from "../units";
import { markerWords, noticeWords, SIGN } from "../texts";
import { mayMark } from "../state";
import { useView } from "./page";

export function Marking() {
  const { page, state, table } = useView();
  const { run } = page;
  const { marker, task, sending } = state;
  const busy = !mayMark(state);
  const waiting = sendingWords(state.sending);
  const notice = waiting || (state.notice ? noticeWords(state.notice, task, table) : "");
  const isNever = marker !== null && marker.outcome === "failure" && marker.at === task?.never;
  return (
    <section class="marking" aria-label="Your answer">
      <p class={`marking-ask ${page.quiz ? "is-question" : ""}`}>
        {page.quiz?.ask || "Mark the first success, or the first failure if that comes first."}
      </p>
      <div class="marking-buttons" onMouseDown={keepFocus}>
        <button
          type="button"
          class="btn btn-mark btn-mark-success"
          aria-pressed={marker?.outcome === "success"}
          disabled={busy}
          onClick={() => run({ do: "place", outcome: "success" })}
        >
          <span aria-hidden="true">{SIGN.success}</span> Success here <kbd>S</kbd>
        </button>
        <button
          type="button"
          class="btn btn-mark btn-mark-failure"
          aria-pressed={marker?.outcome === "failure" && !isNever}
          disabled={busy}
          onClick={() => run({ do: "place", outcome: "failure" })}
        >
          <span aria-hidden="true">{SIGN.failure}</span> Failure here <kbd>F</kbd>
        </button>
        <button
          type="button"
          class="btn btn-mark btn-mark-failure btn-mark-never"
          aria-pressed={isNever}
          disabled={busy}
          onClick={() => run({ do: "never" })}
        >
          Never did it <kbd>N</kbd>
        </button>
      </div>
      <div class="marking-send" onMouseDown={keepFocus}>
        {marker && table ? (
          <p
            class={`marking-marker is-${marker.outcome}`}
            data-marker-frame={marker.at}
            data-marker-kind={marker.outcome}
          >
            <b>
              <span aria-hidden="true">{SIGN[marker.outcome]}</span> {isNever ? "never did it" : marker.outcome}
            </b>
            <span>
              {exactTime(table.start(marker.at))} · frame {marker.at}
            </span>
          </p>
        ) : (
          <p class="marking-marker">{state.asked ? "Waiting for the exact picture …" : "No marker yet"}</p>
        )}
        <button type="button" class="btn btn-quiet" disabled={busy || !marker} onClick={() => run({ do: "clear" })}>
          Undo <kbd>U</kbd>
        </button>
        <button
          type="button"
          class="btn btn-primary btn-submit"
          data-submit
          aria-disabled={busy || !marker}
          onClick={() => run({ do: "submit" })}
        >
          {sending.is === "idle" ? (
            <>
              Submit <kbd>⏎</kbd>
            </>
          ) : (
            "Sending …"
          )}
        </button>
      </div>
      <p class={`marking-notice ${waiting ? "is-waiting" : ""}`}>{notice}</p>
      {page.quiz ? (
        <div class="marking-ways">{page.quiz.back && <a href={page.quiz.back}>{page.quiz.backTo}</a>}</div>
      ) : (
        <div class="marking-ways">
          <SkipAndReport isOff={busy} again={state.again} session={page.session} store={page.store} />
        </div>
      )}
    </section>
  );
}

/** The text for screen readers: the marker, a notice, or the state of sending. */
export function Spoken() {
  const { state, table } = useView();
  const { task, notice, marker } = state;
  let words = sendingWords(state.sending);
  if (!words && notice) words = noticeWords(notice, task, table);
  if (!words && table) {
    if (marker) words = `Marker: ${markerWords(state, table)}`;
    else if (state.video === "ready") words = "The video is ready. No marker yet.";
  }
  return (
    <p class="sr-only" role="status">
      {words}
    </p>
  );
}
