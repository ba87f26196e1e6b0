/** The last page: the worker's ratings and Finish. */

import { useEffect, useRef } from "preact/hooks";
import { EASE, finishHint, SELF } from "../texts";
import { LONGEST_FEEDBACK, mayFinish, type Thoughts } from "../state";
import { useView } from "./page";

export function ReflectionPage() {
  const { page, state } = useView();
  const { dispatch } = page.store;
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), []);
  const isOn = mayFinish(state);
  return (
    <div class="live-last-scroll">
      <form
        class="live-last card form"
        data-last
        onSubmit={(event) => {
          event.preventDefault();
          if (mayFinish(page.store.get())) page.session.finish();
        }}
      >
        <h1 tabIndex={-1} ref={head}>
          How did it go?
        </h1>
        <Scale {...EASE} name="usability" value={state.thoughts.usability} />
        <Scale {...SELF} name="performance" value={state.thoughts.performance} />
        <label class="field">
          <span>What worked, what did not? (optional)</span>
          <textarea
            rows={3}
            dir="auto"
            maxLength={LONGEST_FEEDBACK}
            value={state.thoughts.feedback}
            data-feedback
            onInput={(event) => dispatch({ type: "think", thoughts: { feedback: event.currentTarget.value } })}
          />
        </label>
        <p class="live-last-hint small" role="status" data-finish-hint>
          {finishHint(state)}
        </p>
        <div class="row row-between">
          <button type="button" class="btn" onClick={() => dispatch({ type: "last", isOpen: false })}>
            Back to the world
          </button>
          <button
            type="submit"
            class="btn btn-primary"
            data-finish
            aria-disabled={!isOn}
            disabled={!isOn && !state.live.isFinishing}
          >
            {state.live.isFinishing ? "Handing in …" : "Finish"}
          </button>
        </div>
      </form>
    </div>
  );
}

interface ScaleProps {
  ask: string;
  low: string;
  high: string;
  most: number;
  name: keyof Pick<Thoughts, "usability" | "performance">;
  value: number | null;
}

function Scale({ ask, low, high, most, name, value }: ScaleProps) {
  const { page } = useView();
  // A number alone does not say which end of the scale is good.
  const named = (one: number) => (one === 1 ? `${one}, ${low}` : one === most ? `${one}, ${high}` : undefined);
  return (
    <fieldset class="live-scale">
      <legend>{ask}</legend>
      <div class="live-scale-row">
        <span class="small muted">{low}</span>
        {Array.from({ length: most }, (_, index) => index + 1).map((one) => (
          <label key={one} class="live-scale-one">
            <input
              type="radio"
              name={name}
              value={one}
              aria-label={named(one)}
              checked={value === one}
              onChange={() => page.store.dispatch({ type: "think", thoughts: { [name]: one } })}
            />
            <span>{one}</span>
          </label>
        ))}
        <span class="small muted">{high}</span>
      </div>
    </fieldset>
  );
}
