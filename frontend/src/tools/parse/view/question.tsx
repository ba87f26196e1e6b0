/** One question: its options, its words, or a text field. Every line has a fixed place, so nothing moves. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { keepFocus } from "../../../work/focus";
import { hintOf, pieces } from "../texts";
import { OPTION_KEYS } from "../keys";
import type { Question as Asked, Value } from "../payload";
import { said, type Runs } from "../spans";
import { entriesOf, isPicked, mayAnswer, type Entry } from "../state";
import { focusQuestion } from "./focus";
import { useView } from "./page";

export function Example({ text }: { text: string }) {
  return (
    <span class="example" dir="auto">
      “{pieces(text).map(({ text: piece, isMeant }, index) => (isMeant ? <em key={index}>{piece}</em> : piece))}”
    </span>
  );
}

export function Question({ question, value }: { question: Asked; value: Value | undefined }) {
  const { page, state } = useView();
  const tokens = state.task?.payload.tokens ?? [];
  const id = `ask-${question.id}`;
  // The words of the command are rendered together with the question, so they can be focused now.
  useLayoutEffect(focusQuestion, []);
  return (
    <div class="question" data-question={question.id} data-kind={question.kind}>
      <h2 class="question-ask" id={id} dir="auto">
        {question.ask}
      </h2>
      <p class="question-hint">
        {hintOf(question)} {question.example && question.kind !== "text" && <Example text={question.example} />}
      </p>
      {question.kind === "spans" && (
        <p class="question-marked" aria-live="polite" data-marked>
          {said(tokens, (value ?? []) as Runs) ? (
            <>
              Marked: <bdi>{said(tokens, (value ?? []) as Runs)}</bdi>
            </>
          ) : (
            <span class="muted">Nothing marked yet</span>
          )}
        </p>
      )}
      {question.kind === "text" && (
        <Text key={question.id} id={id} question={question} value={typeof value === "string" ? value : ""} />
      )}
      {["choice", "choices", "yes_no"].includes(question.kind) && (
        <Options
          id={id}
          question={question}
          value={value}
          busy={!mayAnswer(state)}
          onPick={(index) => page.store.dispatch({ type: "pick", index })}
        />
      )}
    </div>
  );
}

function Text({ id, question, value }: { id: string; question: Asked; value: string }) {
  const { page, state } = useView();
  return (
    <p class="question-text">
      <input
        type="text"
        dir="auto"
        aria-labelledby={id}
        maxLength={200}
        autoComplete="off"
        value={value}
        disabled={!mayAnswer(state)}
        data-first-control
        onInput={(event) => page.store.dispatch({ type: "write", text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.isComposing) return;
          event.preventDefault();
          page.run({ do: "next" });
        }}
      />
      {question.example && (
        <span class="muted">
          for example <Example text={question.example} />
        </span>
      )}
    </p>
  );
}

interface OptionsProps {
  id: string;
  question: Asked;
  value: Value | undefined;
  busy: boolean;
  onPick: (index: number) => void;
}

function Options({ id, question, value, busy, onPick }: OptionsProps) {
  const list = useRef<HTMLDivElement>(null);
  const { state } = useView();
  const entries = entriesOf(state, question);
  const isMany = question.kind === "choices" && entries.every((entry) => entry.is === "option" || entry.is === "more");
  const isOn = (entry: Entry): boolean => entry.is === "option" && isPicked(question, value, entry.option);
  const picked = entries.findIndex(isOn);
  const stop = Math.max(0, picked);
  const go = (event: KeyboardEvent, at: number): void => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (by === undefined || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const goal = (at + by + entries.length) % entries.length;
    list.current?.querySelector<HTMLElement>(`[data-option="${goal}"]`)?.focus();
  };
  return (
    <div
      class={`options ${entries.length > 4 ? "is-many" : ""}`}
      role={isMany ? "group" : "radiogroup"}
      aria-labelledby={id}
      ref={list}
      onMouseDown={keepFocus}
    >
      {entries.map((entry, index) => (
        <button
          type="button"
          key={`${state.page} ${index}`}
          class={`option ${entry.is === "more" || entry.is === "one_by_one" ? "option-more" : ""}`}
          role={isMany ? "checkbox" : "radio"}
          aria-checked={isOn(entry)}
          aria-disabled={busy}
          data-option={index}
          data-value={valueOf(entry)}
          data-enter-next
          {...(index === stop ? { "data-first-control": true } : {})}
          tabIndex={index === stop ? 0 : -1}
          onClick={() => onPick(index)}
          onKeyDown={(event) => go(event, index)}
        >
          <span class="option-box" aria-hidden="true">
            {isOn(entry) ? "✓" : ""}
          </span>
          <span class="option-words">
            <span class="option-label" dir="auto">
              {labelOf(entry)}
            </span>
            {entry.is === "option" && entry.option.example && <Example text={entry.option.example} />}
          </span>
          {OPTION_KEYS[index] && <kbd>{OPTION_KEYS[index]?.toUpperCase()}</kbd>}
        </button>
      ))}
    </div>
  );
}

/** The name of an entry for automation: the values that it stands for. */
function valueOf(entry: Entry): string {
  return entry.is === "option"
    ? entry.option.value
    : entry.is === "usual"
      ? `=${entry.values.join("+")}`
      : `#${entry.is}`;
}

function labelOf(entry: Entry): string {
  switch (entry.is) {
    case "option":
      return entry.option.label;
    case "usual":
      return entry.label;
    case "one_by_one":
      return "something else: pick one by one";
    case "more":
      return entry.left ? `more (${entry.left})` : "back to the first";
  }
}
