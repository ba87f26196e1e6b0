/** The coach of a practice task: what to do next, what was wrong, and the way to the work. */

import { useEffect, useRef } from "preact/hooks";
import { ENOUGH_TRIES, type CoachState } from "../practice";

interface Props {
  coach: CoachState;
  /** The sentence of each step. */
  steps: readonly string[];
  /** Whether the worker may go on without. */
  maySkip: boolean;
  onInstructions: (page: number) => void;
  onLeave: () => void;
}

export function Coach({ coach, steps, maySkip, onInstructions, onLeave }: Props) {
  const start = useRef<HTMLButtonElement>(null);
  useEffect(() => start.current?.focus(), [coach.hasPassed]);
  if (coach.hasPassed)
    return (
      <div class="coach-passed card" role="status">
        <h1>✓ That is right</h1>
        <p>You know how it works now. From here on it counts. The instructions stay one key away: F1.</p>
        <button type="button" class="btn btn-primary" data-start-work ref={start} onClick={onLeave}>
          Start <kbd>⏎</kbd>
        </button>
      </div>
    );
  const at = Math.min(coach.done, steps.length - 1);
  const isLetOff = maySkip || coach.wrong >= ENOUGH_TRIES;
  return (
    <div class="coach-line">
      <p class="coach-where">
        Practice <span class="coach-dots">{steps.map((_, index) => (index < coach.done ? "●" : "○")).join("")}</span>
      </p>
      <p class="coach-say" role="status" data-coach-step={at + 1}>
        {coach.wrong > 0 && (
          <span class="coach-wrong">
            Not yet. {coach.why}
            <br />
          </span>
        )}
        <b>{steps[at]}</b>
      </p>
      <p class="coach-ways">
        <button type="button" class="btn btn-small" onClick={() => onInstructions(at)}>
          Read more <kbd>F1</kbd>
        </button>
        {isLetOff && (
          <button type="button" class="btn btn-small" data-skip-practice onClick={onLeave}>
            Skip
          </button>
        )}
      </p>
    </div>
  );
}
