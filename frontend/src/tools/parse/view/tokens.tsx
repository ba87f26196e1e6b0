/**
 * The words of the command as toggle buttons in a toolbar with one tab stop. They are marked by click or tap, by
 * dragging, by Shift and a click, or by arrow keys and Space.
 */

import { useEffect, useRef, useState } from "preact/hooks";
import { WORD_KEYS } from "../keys";
import { beginStroke, has, strokeRuns, type Runs, type Stroke } from "../spans";

export interface TokensProps {
  tokens: readonly string[];
  /** The marked words. */
  runs: Runs;
  /** Words that are known to belong to the current part. */
  known?: Runs;
  /** Words of the outline line that is pointed at. */
  lit?: Runs;
  /** Whether the question asks for words. */
  isOn: boolean;
  label: string;
  /** `isFirst`: the change starts a new stroke; later ones continue it. */
  onRuns: (runs: Runs, isFirst: boolean) => void;
}

export function Tokens({ tokens, runs, known = [], lit = [], isOn, label, onRuns }: TokensProps) {
  const bar = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState(0);
  const pen = useRef<{ stroke: Stroke; isDrawn: boolean } | null>(null);
  /** Where a Shift-click or Shift-arrow starts, and its stroke. */
  const anchor = useRef(0);
  const reach = useRef<Stroke | null>(null);
  /** The press was already handled as a stroke, so the following click is ignored. */
  const handled = useRef(false);
  const at = Math.min(cursor, tokens.length - 1);

  useEffect(() => {
    if (lit.length) bar.current?.querySelector(`[data-token="${lit[0]?.[0]}"]`)?.scrollIntoView({ block: "nearest" });
  }, [lit]);

  const tokenAt = (target: EventTarget | null): number | null => {
    const found = target instanceof Element ? target.closest<HTMLElement>("[data-token]") : null;
    return found && bar.current?.contains(found) ? Number(found.dataset.token) : null;
  };
  const focus = (index: number): void => {
    setCursor(index);
    bar.current?.querySelector<HTMLElement>(`[data-token="${index}"]`)?.focus();
  };
  const toggle = (index: number): void => {
    onRuns(strokeRuns(beginStroke(runs, index)), true);
    anchor.current = index;
    reach.current = null;
  };
  /** Marks from the anchor to this word. Words get their old state back when the stroke shrinks. */
  const extendTo = (index: number): void => {
    const isFirst = reach.current === null;
    const stroke: Stroke = reach.current
      ? { ...reach.current, to: index }
      : { from: anchor.current, to: index, on: true, base: runs };
    reach.current = stroke;
    onRuns(strokeRuns(stroke), isFirst);
  };

  const down = (event: PointerEvent): void => {
    const index = tokenAt(event.target);
    if (!isOn || index === null || event.button !== 0 || !event.isPrimary) return;
    handled.current = true;
    focus(index);
    if (event.shiftKey) {
      event.preventDefault();
      return extendTo(index);
    }
    reach.current = null;
    anchor.current = index;
    const stroke = beginStroke(runs, index);
    // A finger may start to scroll, so its stroke starts when it lifts or reaches another word.
    pen.current = { stroke, isDrawn: event.pointerType !== "touch" };
    if (pen.current.isDrawn) onRuns(strokeRuns(stroke), true);
  };
  const move = (event: PointerEvent): void => {
    const drawing = pen.current;
    if (!drawing || !event.isPrimary) return;
    const index = tokenAt(document.elementFromPoint(event.clientX, event.clientY));
    if (index === null || index === drawing.stroke.to) return;
    drawing.stroke = { ...drawing.stroke, to: index };
    onRuns(strokeRuns(drawing.stroke), !drawing.isDrawn);
    drawing.isDrawn = true;
  };
  const up = (event: PointerEvent): void => {
    const drawing = pen.current;
    if (!drawing || !event.isPrimary) return;
    pen.current = null;
    if (!drawing.isDrawn && event.type === "pointerup") onRuns(strokeRuns(drawing.stroke), true);
    if (event.type === "pointercancel" && drawing.isDrawn) onRuns(drawing.stroke.base, false);
    setCursor(drawing.stroke.to);
  };
  useEffect(() => {
    // The pointer may leave the words and lift anywhere.
    for (const name of ["pointerup", "pointercancel"] as const) addEventListener(name, up);
    addEventListener("pointermove", move);
    return () => {
      for (const name of ["pointerup", "pointercancel"] as const) removeEventListener(name, up);
      removeEventListener("pointermove", move);
    };
  });

  const click = (event: MouseEvent): void => {
    const index = tokenAt(event.target);
    if (handled.current || !isOn || index === null) {
      handled.current = false;
      return;
    }
    setCursor(index);
    toggle(index);
  };
  const key = (event: KeyboardEvent): void => {
    handled.current = false;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isRtl = bar.current !== null && getComputedStyle(bar.current).direction === "rtl";
    const goal = goalOf(event.key, at, tokens.length, isRtl);
    if (goal === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey && isOn) {
      if (reach.current === null) anchor.current = at;
      extendTo(goal);
    } else {
      reach.current = null;
      anchor.current = goal;
    }
    focus(goal);
  };

  return (
    <div
      class={`tokens ${isOn ? "is-on" : ""}`}
      role="toolbar"
      aria-label={label}
      dir="auto"
      ref={bar}
      data-tokens
      onPointerDown={down}
      onClick={click}
      onKeyDown={key}
    >
      {tokens.map((token, index) => (
        <button
          type="button"
          key={index}
          class={`token ${has(known, index) ? "is-known" : ""} ${has(lit, index) ? "is-lit" : ""}`}
          data-token={index}
          data-enter-next
          aria-pressed={isOn || runs.length ? has(runs, index) : undefined}
          aria-disabled={!isOn}
          tabIndex={index === at ? 0 : -1}
          onFocus={() => setCursor(index)}
        >
          {token}
          {isOn && WORD_KEYS[index] && (
            <kbd class="token-key" aria-hidden="true">
              {WORD_KEYS[index]?.toUpperCase()}
            </kbd>
          )}
        </button>
      ))}
    </div>
  );
}

/** The word that a key goes to from the word at `at`; null for other keys. */
export function goalOf(key: string, at: number, count: number, isRtl: boolean): number | null {
  const last = count - 1;
  const forward = isRtl ? "ArrowLeft" : "ArrowRight";
  const back = isRtl ? "ArrowRight" : "ArrowLeft";
  switch (key) {
    case forward:
    case "ArrowDown":
      return Math.min(at + 1, last);
    case back:
    case "ArrowUp":
      return Math.max(at - 1, 0);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}
