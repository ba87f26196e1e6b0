/** The current state: the command and its status, its parse and found objects, and the open question. */

import { StyleSwatch } from "../../../tools/voxels/view/legend";
import { clockText } from "../chat";
import type { CommandNow, Moment } from "../moment";
import { commandNumber, type Replay } from "../state";

export function Now({ state }: { state: Replay }) {
  const { moment, at_ms } = state;
  const { command, asked } = moment;
  return (
    <section class="replay-now card" aria-label="At this moment">
      <p class="row small replay-state">
        <span>
          <span class="muted">Clock</span>{" "}
          <b class="num">{moment.started_ms === null ? "not started" : clockText(at_ms - moment.started_ms)}</b>
        </span>
        <span class={`badge ${moment.isAgentHere ? "badge-good" : "badge-warn"}`}>
          {moment.isAgentHere ? "agent here" : "no agent"}
        </span>
        {moment.scored && (
          <span class="badge num">
            light: {moment.scored.colour}, {moment.scored.score.toFixed(1)} of 10
          </span>
        )}
        {moment.mayFinish && <span class="badge">may be handed in</span>}
        {moment.closed !== null && <span class="badge">over</span>}
      </p>
      {command ? (
        <Command command={command} number={commandNumber(state)} moment={moment} at_ms={at_ms} />
      ) : (
        <p class="muted">No command yet.</p>
      )}
      {asked && (
        <div class="replay-asked">
          <p class="small muted">{asked.of === "agent" ? "The agent asks" : "The worker is asked"}</p>
          <p dir="auto">{asked.text}</p>
          <ol class="small">
            {asked.choices.map((choice, place) => (
              <li key={place} dir="auto">
                {choice}
              </li>
            ))}
          </ol>
        </div>
      )}
    </section>
  );
}

function Command({
  command,
  number,
  moment,
  at_ms,
}: {
  command: CommandNow;
  number: number;
  moment: Moment;
  at_ms: number;
}) {
  const { text, status, reason, words, form, found, outcome } = command;
  const isOver = status === "done" || status === "failed";
  const look = status === "done" ? "badge-good" : status === "failed" ? "badge-bad" : "badge-accent";
  return (
    <div class="replay-command">
      <p class="small muted">
        Command {number}
        {moment.prompt && ` · on: ${moment.prompt}`}
      </p>
      <p class="replay-text" dir="auto">
        {text}
      </p>
      <p class="row small">
        <span class={`badge ${look}`}>{status}</span>
        {!isOver && <span class="num muted">for {((at_ms - command.since_ms) / 1000).toFixed(1)} s</span>}
        {reason && <code>{reason}</code>}
        {outcome && <span class={`outcome ${outcome === "ok" ? "outcome-good" : "outcome-bad"}`}>{outcome}</span>}
      </p>
      {form && (
        <div class="small">
          <p dir="auto">{words}</p>
          <details>
            <summary>As the agent sent it</summary>
            <pre>{JSON.stringify(form, null, 1)}</pre>
          </details>
        </div>
      )}
      {found.length > 0 && (
        <ul class="plain small">
          {found.map(({ phrase, voxels }) => (
            <li key={phrase}>
              <StyleSwatch style="marked" /> “<span dir="auto">{phrase}</span>”:{" "}
              {voxels.length === 0 ? "nothing found" : `${voxels.length.toLocaleString("en")} blocks`}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
