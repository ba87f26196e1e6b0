/** Next, undo, and the buttons for steps without a good answer. */

import { useEffect, useState } from "preact/hooks";
import { keepFocus } from "../../../work/focus";
import { SkipAndReport } from "../../../work/view/skip_and_report";
import { remarkOf, WAY_WORDS } from "../texts";
import { current, isSaid, mayAnswer, toCorrect, type Way } from "../state";
import { useView } from "./page";

const WAYS: readonly Way[] = ["unknown", "not_a_command"];

export function Ways() {
  const { page, state } = useView();
  const { dispatch } = page.store;
  const question = current(state);
  const busy = !mayAnswer(state);
  const payload = state.task?.payload;
  const remark = remarkOf(state);
  // The end of the whole command, not of one step.
  const isEnd = payload ? toCorrect(payload) !== null : false;
  const isReady = isEnd || (question !== null && (question.optional || isSaid(state.answers[question.id])));
  return (
    <div class="ways">
      <div class="ways-bar" onMouseDown={keepFocus}>
        <p class={`ways-remark ${state.sending.is === "waiting" ? "is-waiting" : ""}`} data-remark>
          {remark}
        </p>
        <div class="ways-main">
          <button
            type="button"
            class="btn btn-primary btn-next"
            data-next
            aria-disabled={busy || !isReady}
            onClick={() => dispatch({ type: "next" })}
          >
            {state.sending.is === "idle" ? (
              <>
                {isEnd ? "Yes" : "Next"} <kbd>⏎</kbd>
              </>
            ) : (
              "Sending …"
            )}
          </button>
          <button
            type="button"
            class="btn btn-quiet"
            data-undo
            disabled={busy}
            onClick={() => page.run({ do: "undo" })}
          >
            Undo <kbd>U</kbd>
          </button>
        </div>
      </div>
      {!page.quiz && (
        <div class="ways-out" onMouseDown={keepFocus}>
          {WAYS.map((way) => (
            <WayButton
              key={way}
              way={way}
              isArmed={state.armed === way}
              busy={busy}
              onPress={() => dispatch({ type: "way", way })}
            />
          ))}
        </div>
      )}
      <div class="ways-more">
        <Back />
        <span class="ways-gap" />
        {!page.quiz && <Leave />}
        {page.quiz?.back && <a href={page.quiz.back}>{page.quiz.backTo}</a>}
      </div>
    </div>
  );
}

export function WayButton({
  way,
  isArmed,
  busy,
  onPress,
}: {
  way: Way;
  isArmed: boolean;
  busy: boolean;
  onPress: () => void;
}) {
  const words = WAY_WORDS[way];
  return (
    <button
      type="button"
      class={`btn btn-way ${isArmed ? "is-armed" : ""}`}
      data-way={way}
      disabled={busy}
      aria-label={isArmed ? words.sure : words.label}
      onClick={onPress}
    >
      {/* Both labels are in the same place, so that the button keeps its size. */}
      <span aria-hidden="true">{words.label}</span>
      <span aria-hidden="true">Sure?</span>
    </button>
  );
}

export function Leave() {
  const { page, state } = useView();
  return <SkipAndReport isOff={!mayAnswer(state)} again={state.again} session={page.session} store={page.store} />;
}

/** Goes to an earlier step of this worker. */
function Back() {
  const { page, state } = useView();
  const [key, setKey] = useState("");
  const steps = state.task?.payload.back ?? [];
  useEffect(() => setKey(""), [state.task]);
  if (steps.length === 0) return null;
  return (
    <span class="back">
      <select
        aria-label="Go back to an earlier answer"
        data-back
        value={key}
        disabled={!mayAnswer(state)}
        onChange={(event) => setKey(event.currentTarget.value)}
      >
        <option value="">Go back to …</option>
        {steps.map((step) => (
          <option key={step.key} value={step.key}>
            {step.label}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="btn btn-small"
        data-go-back
        disabled={key === "" || !mayAnswer(state)}
        onClick={() => page.store.dispatch({ type: "back", key })}
      >
        Go
      </button>
    </span>
  );
}
