/** The chat of a session. A click on a line goes to its moment. */

import { useEffect, useRef } from "preact/hooks";
import { clockText, type Line } from "../chat";
import type { Action } from "../state";

const WHO: Record<Line["from"], string> = { worker: "Worker", agent: "Agent", server: "" };

interface Props {
  lines: readonly Line[];
  /** The index of the current line; -1 before the first. */
  current: number;
  dispatch: (action: Action) => void;
}

export function Chat({ lines, current, dispatch }: Props) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const frame = list.current;
    const line = frame?.children[current];
    if (!frame || !(line instanceof HTMLElement)) return;
    // Scrolls the list only, never the page.
    const [top, bottom] = [line.offsetTop, line.offsetTop + line.offsetHeight];
    if (top < frame.scrollTop || bottom > frame.scrollTop + frame.clientHeight)
      frame.scrollTop = bottom - frame.clientHeight * 0.7;
  }, [current, lines.length]);
  return (
    <section class="replay-chat card" aria-label="What was said and done">
      {lines.length === 0 && <p class="muted">Nothing yet.</p>}
      <ol ref={list}>
        {lines.map((line, place) => (
          <li
            key={line.count}
            class={`replay-line replay-${line.from} replay-is-${line.kind}${place > current ? " replay-later" : ""}`}
          >
            <button
              type="button"
              aria-current={place === current ? "true" : undefined}
              onClick={() => dispatch({ type: "jump", count: line.count })}
            >
              <span class="replay-time num">{clockText(line.at_ms)}</span>
              <span class="replay-words" dir="auto">
                {WHO[line.from] && (
                  <b>
                    {WHO[line.from]}
                    {line.kind === "note" ? " " : ": "}
                  </b>
                )}
                {line.text}
                {line.choices && <span class="muted replay-choices">{line.choices.join(" · ")}</span>}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
