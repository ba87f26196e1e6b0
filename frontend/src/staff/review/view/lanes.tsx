/** All answers on the time axis of the video, one row each. A click or the number goes to the frame. */

import { SIGN } from "../../../tools/marker/texts";
import { usePlayer } from "../../../tools/marker/view/page";
import { clock } from "../../../work/formats";
import { answerWords, recordWords, workerAnswerWords, tookWords } from "../texts";
import type { Finding, AnswerData } from "../payload";
import { useReview } from "./context";

const share = (at: number, whole: number): string =>
  `${whole > 0 ? Math.min(100, Math.max(0, (100 * at) / whole)) : 0}%`;

export function Lanes() {
  const { page, state } = useReview();
  const { state: markerState, table } = usePlayer();
  const { data } = page;
  const { marker } = markerState;
  const mine: AnswerData | null =
    marker && table ? { outcome: marker.outcome, frame: marker.at, time_s: table.start(marker.at) } : null;
  return (
    <section class="lanes card" aria-labelledby="lanes-title">
      <h2 id="lanes-title">Who said what</h2>
      <div class="lanes-rows">
        <Axis />
        {data.truths.map((truth, index) => (
          <Row key={`truth${index}`} label="Truth" kept={truth} band={data.tolerance_s} />
        ))}
        {data.consensus && (
          <Row
            label="Consensus"
            number={0}
            kept={data.consensus.answer}
            note={`${Math.round(data.consensus.confidence * 100)} % sure, ${data.consensus.method.toLowerCase()}`}
          />
        )}
        {data.proposed && <Row label={`Proposed by ${data.proposed.by}`} kept={data.proposed.answer} />}
        {mine && <Row label="Your answer" kept={mine} />}
        {data.answers.map((said) => (
          <Row
            key={said.id}
            label={said.name}
            number={said.number}
            kept={said.answer}
            href={said.page}
            spoken={workerAnswerWords(said)}
            note={`${recordWords(said.record)} · ${tookWords(said.took_s)}${said.is_simulated ? " · simulated" : ""}${said.weighting === "full" ? "" : said.weighting === "none" ? " · not counted" : " · counts half"}`}
            isOff={!said.is_standing || said.weighting === "none"}
            found={state.found[said.id] ?? []}
          />
        ))}
      </div>
      {data.answers.length === 0 && <p class="muted">Nobody has answered yet.</p>}
      <p class="small muted">
        The number behind a name: right on references, balanced, with its 95 % interval; then the time taken. Keys{" "}
        <kbd>1</kbd> … <kbd>9</kbd> go there, <kbd>Enter</kbd> takes that answer.
      </p>
    </section>
  );
}

/** The time axis: start of the video, takeover and end. */
function Axis() {
  const { payload } = usePlayer();
  if (!payload) return null;
  const { duration_s } = payload.video;
  return (
    <div class="lane lane-axis" aria-hidden="true">
      <span />
      <span class="lane-line">
        <i style={{ left: 0 }}>0:00</i>
        <i style={{ left: share(payload.takeover_s, duration_s) }}>takeover {clock(payload.takeover_s)}</i>
        <i class="lane-end">{clock(duration_s)}</i>
      </span>
      <span />
    </div>
  );
}

interface RowProps {
  label: string;
  kept: AnswerData;
  number?: number;
  href?: string;
  note?: string;
  spoken?: string;
  band?: number | null;
  isOff?: boolean;
  found?: Finding[];
}

function Row({ label, kept, number, href, note = "", spoken = "", band = null, isOff = false, found = [] }: RowProps) {
  const { page, state } = useReview();
  const { payload, state: markerState, table } = usePlayer();
  const duration = payload?.video.duration_s ?? 0;
  const isChosen = number !== undefined && state.chosen === number;
  const at = typeof kept.time_s === "number" ? kept.time_s : null;
  return (
    <div class={`lane ${isChosen ? "is-chosen" : ""} ${isOff ? "is-off" : ""}`}>
      <span class="lane-who">
        {href ? <a href={href}>{label}</a> : <b>{label}</b>}
        {note && <span class="lane-note">{note}</span>}
        {found.map((one) => (
          <span class="badge" key={one.id} title={one.note}>
            {one.label}
          </span>
        ))}
      </span>
      <span class="lane-line" aria-hidden="true">
        <i class="lane-before" style={{ width: share(payload?.takeover_s ?? 0, duration) }} />
        {payload && <i class="lane-after" style={{ left: share(payload.deadline_s, duration) }} />}
        {at !== null && band !== null && (
          <i
            class="lane-band"
            style={{ left: share(at - band, duration), right: `calc(100% - ${share(at + band, duration)})` }}
          />
        )}
        {table && <i class="lane-now" style={{ left: share(table.start(markerState.position), duration) }} />}
        {at !== null && kept.outcome && (
          <b class={`pin pin-${kept.outcome}`} style={{ left: share(at, duration) }}>
            {SIGN[kept.outcome]}
          </b>
        )}
      </span>
      {number === undefined ? (
        <span class={`lane-said is-${kept.outcome ?? "tie"}`}>{answerWords(kept)}</span>
      ) : (
        <button
          type="button"
          class={`btn btn-small lane-said is-${kept.outcome ?? "tie"}`}
          aria-pressed={isChosen}
          aria-label={`${spoken || `${label}: ${answerWords(kept)}`}. Go there.`}
          onClick={() => {
            page.choose(number);
            page.focusVideo();
          }}
        >
          {number <= 9 && <kbd>{number}</kbd>} {answerWords(kept)}
        </button>
      )}
    </div>
  );
}
