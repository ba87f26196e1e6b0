/** The light: three lamps with word and number in the header, and the advice in the talk. */

import {
  adviceWords,
  bonusExplained,
  bonusWords,
  colourWord,
  MARK_HEIGHT,
  MARK_STEP,
  marksOf,
  marksWords,
  scoreLine,
  scoreWords,
  type LightRule,
  type Score,
} from "../light";
import type { Colour } from "../connection/wire";
import { Dropdown } from "./dropdown";
import { useView } from "./page";

/** The light in the header. It opens the history of scores. */
export function Light({ rule }: { rule: LightRule }) {
  const { scores } = useView().state.live;
  const last = scores.at(-1) ?? null;
  const bonus = bonusWords(rule, last);
  return (
    <div class="live-light" data-light={last?.colour ?? ""}>
      <Dropdown
        id="live-light"
        label="Your light"
        buttonClass="btn btn-quiet live-light-button"
        panel={() => <History rule={rule} />}
        data-light-button
      >
        <Lamps lit={last?.colour ?? null} />
        <span class="live-light-words">
          <span>
            <span class="sr-only">Light: </span>
            <b data-light-word>{colourWord(last)}</b>{" "}
            <span class="num" data-light-score>
              {scoreWords(last)}
            </span>
          </span>
          {bonus && (
            <span class="live-light-bonus num" data-light-bonus>
              {bonus}
            </span>
          )}
        </span>
        <span aria-hidden="true">▾</span>
      </Dropdown>
    </div>
  );
}

/** The advice after a command: the score, the chart of scores, and how to do better. */
export function Advice() {
  const { live } = useView().state;
  // There is no advice while a question is open.
  if (!live.light || live.phase === "before" || live.question || live.ask) return null;
  const last = live.scores.at(-1) ?? null;
  const isNew = last !== null && live.talk.findLast(({ who }) => who === "you")?.key === last.command;
  return (
    <section class="live-advice" aria-label="Advice" data-advice={last?.command ?? ""}>
      {/* Only the advice for the latest command is highlighted for a moment. */}
      <div class={`live-advice-in ${isNew ? "is-new" : ""}`} key={last ? `${last.command} ${live.scores.length}` : ""}>
        <p class="live-advice-head">
          <Lamp colour={last?.colour ?? null} />
          <b>{colourWord(last)}</b> <span class="num">{scoreWords(last)}</span>
          <Marks scores={live.scores} />
        </p>
        <p class="live-advice-words small" dir="auto" data-advice-words>
          <span class={last && !last.counted ? "live-uncounted" : ""}>{adviceWords(last)}</span>
        </p>
      </div>
    </section>
  );
}

function History({ rule }: { rule: LightRule }) {
  const { scores, talk } = useView().state.live;
  const last = scores.at(-1) ?? null;
  const bonus = bonusExplained(rule, last);
  const texts = new Map(talk.map(({ key, text }) => [key, text]));
  return (
    <div class="live-history">
      <h2>Your light</h2>
      <p class="small">
        It shows how much the commands of this session help, from 0 to 10. It changes after each command, once you have
        said how it went.
      </p>
      {bonus && <p class="small">{bonus}</p>}
      {scores.length > 0 && (
        <ol class="live-history-list small" reversed data-light-history>
          {[...scores].reverse().map((score) => (
            <li key={score.command} data-counted={score.counted}>
              <Lamp colour={score.counted ? score.colour : "none"} />
              <span>
                <span dir="auto">“{texts.get(score.command) ?? "…"}”</span>
                <br />
                <span class={score.counted ? "muted num" : "live-uncounted"}>{scoreLine(score)}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

const LAMPS: readonly Colour[] = ["red", "amber", "green"];

/** The lamps differ in shape and place too; the word beside them names the lit one. */
function Lamps({ lit }: { lit: Colour | null }) {
  return (
    <svg class="live-lamps" viewBox="0 0 70 26" width="70" height="26" aria-hidden="true">
      <rect x="0.5" y="0.5" width="69" height="25" rx="12.5" class="lamp-box" />
      {LAMPS.map((colour, index) => (
        <g key={colour} transform={`translate(${14 + 21 * index} 13)`}>
          <Shape colour={colour} isLit={colour === lit} />
        </g>
      ))}
    </svg>
  );
}

/** One lamp alone; "none" for a command that did not count. */
function Lamp({ colour }: { colour: Colour | "none" | null }) {
  return (
    <svg class="live-lamp" viewBox="-10 -10 20 20" width="20" height="20" aria-hidden="true">
      {colour === "none" ? (
        <path d="M-5-5 5 5M5-5-5 5" class="lamp-none" />
      ) : colour ? (
        <Shape colour={colour} isLit />
      ) : (
        <circle r="7" class="lamp-off" />
      )}
    </svg>
  );
}

const SHAPES: Record<Colour, { shape: string; sign: string }> = {
  // An octagon with an exclamation mark, a diamond with an upward arrow, a disc with a tick.
  red: { shape: "M-3.5-8.5h7l5 5v7l-5 5h-7l-5-5v-7z", sign: "M0-4.5V1M0 3.7v1" },
  amber: { shape: "M0-9.8 9.8 0 0 9.8-9.8 0z", sign: "M0 4.5v-8M-3-1 0-4l3 3" },
  green: { shape: "M0-8.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 1 1 0-17z", sign: "M-4 0.2-1.2 3 4-2.8" },
};

function Shape({ colour, isLit }: { colour: Colour; isLit: boolean }) {
  const { shape, sign } = SHAPES[colour];
  return (
    <>
      <path d={shape} class={isLit ? `lamp-lit lamp-${colour}` : "lamp-off"} />
      {isLit && <path d={sign} class="lamp-sign" />}
    </>
  );
}

const SMALL: Record<Colour, string> = {
  red: "M-3.2-3.2h6.4v6.4h-6.4z",
  amber: "M0-4.4 4.4 0 0 4.4-4.4 0z",
  green: "M0-3.8a3.8 3.8 0 1 1 0 7.6 3.8 3.8 0 1 1 0-7.6z",
};

/** The chart of scores. The history in the header has the same in words. */
function Marks({ scores }: { scores: readonly Score[] }) {
  if (scores.length === 0) return null;
  const marks = marksOf(scores);
  const width = marks.length * MARK_STEP;
  return (
    <svg
      class="live-marks"
      viewBox={`0 0 ${width} ${MARK_HEIGHT}`}
      width={width}
      height={MARK_HEIGHT}
      role="img"
      aria-label={marksWords(scores)}
      data-marks={marks.length}
    >
      <polyline points={marks.map(({ x, y }) => `${x},${y}`).join(" ")} class="mark-line" />
      {marks.map(({ x, y, score }) => (
        <g
          key={score.command}
          transform={`translate(${x} ${y})`}
          data-mark={score.counted ? (score.colour ?? "") : "none"}
        >
          <title>{scoreLine(score)}</title>
          {score.counted ? (
            <path
              d={score.colour ? SMALL[score.colour] : SMALL.green}
              class={score.colour ? `lamp-lit lamp-${score.colour}` : "lamp-off"}
            />
          ) : (
            <path d="M-3-3 3 3M3-3-3 3" class="lamp-none" />
          )}
        </g>
      ))}
    </svg>
  );
}
