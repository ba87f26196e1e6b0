/** The time controls: slider, play and pause, speeds, previous and next command. */

import { clockText } from "../chat";
import { commandNumber, isAtEnd, isRunning, SPEEDS, type Action, type Replay } from "../state";
import { lengthOf, timeOf } from "../timeline";

interface Props {
  state: Replay;
  dispatch: (action: Action) => void;
}

/** Milliseconds of one press of an arrow key. */
const STEP_MS = 1000;

export function Controls({ state, dispatch }: Props) {
  const { timeline, moment, at_ms, speed, isLive, isFollowing } = state;
  const length = lengthOf(timeline);
  const number = commandNumber(state);
  const said =
    number > 0 && moment.command ? `, command ${number} of ${timeline.commands.length}: ${moment.command.text}` : "";
  return (
    <div class="replay-controls" role="group" aria-label="Time of the replay">
      <div class="replay-track">
        <input
          type="range"
          class="replay-slider"
          min={0}
          max={Math.max(length, 1)}
          step={1}
          value={at_ms}
          aria-label="Time"
          aria-valuetext={`${clockText(at_ms)} of ${clockText(length)}${said}`}
          onInput={(event) => dispatch({ type: "seek", at_ms: Number(event.currentTarget.value) })}
          onKeyDown={(event) => {
            // The browser's own step of this range would be too small to see.
            const by = {
              ArrowLeft: -STEP_MS,
              ArrowDown: -STEP_MS,
              ArrowRight: STEP_MS,
              ArrowUp: STEP_MS,
              PageDown: -10 * STEP_MS,
              PageUp: 10 * STEP_MS,
            }[event.key];
            if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            dispatch({ type: "seek", at_ms: at_ms + by });
          }}
        />
        <div class="replay-marks" aria-hidden="true">
          {timeline.commands.map((count) => (
            <span key={count} style={{ left: `${(100 * timeOf(timeline, count)) / Math.max(length, 1)}%` }} />
          ))}
        </div>
      </div>
      <div class="replay-buttons">
        <button
          type="button"
          class="btn btn-small"
          title="To the command before (P)"
          disabled={number === 0}
          onClick={() => dispatch({ type: "previous" })}
        >
          ‹ Command
        </button>
        <button
          type="button"
          class="btn btn-small btn-primary replay-play"
          title="Space"
          onClick={() => dispatch({ type: "toggle" })}
          data-running={isRunning(state) ? "1" : undefined}
        >
          {isRunning(state) ? "Pause" : isAtEnd(state) && !isLive ? "Again" : "Play"}
        </button>
        <button
          type="button"
          class="btn btn-small"
          title="To the next command (N)"
          disabled={!timeline.commands.some((count) => count > moment.count)}
          onClick={() => dispatch({ type: "next" })}
        >
          Command ›
        </button>
        <fieldset class="picture-choice replay-choice">
          <legend class="sr-only">Speed</legend>
          {SPEEDS.map((one) => (
            <label key={one}>
              <input
                type="radio"
                name="replay-speed"
                value={one}
                checked={speed === one}
                onChange={() => dispatch({ type: "speed", speed: one })}
              />
              <span>{one}×</span>
            </label>
          ))}
        </fieldset>
        <span class="num small replay-clock">
          {clockText(at_ms)} <span class="muted">of {clockText(length)}</span>
        </span>
        {isLive && (
          <button
            type="button"
            class="btn btn-small"
            aria-pressed={isFollowing}
            title="To the end, and on with it (L)"
            onClick={() => dispatch({ type: "end" })}
          >
            {isFollowing ? "● Live" : "To live"}
          </button>
        )}
      </div>
    </div>
  );
}
