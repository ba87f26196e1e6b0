/** The instruction, the criteria and the transcript. */

import { seconds } from "../units";
import { clock } from "../../../work/formats";
import { keepFocus } from "../../../work/focus";
import { usePlayer } from "./page";

export function Brief() {
  const { page, table, payload } = usePlayer();
  return (
    <section class="brief" aria-label="What the agent was asked" tabIndex={0}>
      {payload && (
        <>
          <h1 class="brief-head">The agent was asked to</h1>
          <p class="brief-asked">“{payload.instruction}”</p>
          {payload.criteria && (
            <>
              <h2 class="brief-head">What counts</h2>
              <p class="brief-text">{payload.criteria}</p>
            </>
          )}
          {payload.transcript.length > 0 && (
            <>
              <h2 class="brief-head">What was said</h2>
              <ol class="said" onMouseDown={keepFocus}>
                {payload.transcript.map((line) => (
                  <li key={`${line.at_s}${line.text}`}>
                    <button
                      type="button"
                      class="said-line"
                      disabled={!table}
                      onClick={() => table && page.run({ do: "to", frame: table.at(seconds(line.at_s)) })}
                    >
                      <span class="said-time">{clock(line.at_s)}</span>
                      <span>
                        <b>{line.speaker}:</b> {line.text}
                      </span>
                    </button>
                  </li>
                ))}
              </ol>
            </>
          )}
        </>
      )}
    </section>
  );
}
