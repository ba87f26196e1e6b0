/** The cutting planes: two sliders for each axis. */

import type { MarkingSlice } from "../marking/store_slice";
import { wholeOf, type Box, type Cell } from "../../../world/frame";
import type { Axis } from "../keys";
import type { Marking } from "../marking/marking";

const AXES: readonly (readonly [axis: Axis, name: string, low: string, high: string, key: string])[] = [
  [0, "x", "x from", "x to", "X"],
  [1, "y", "height from", "height to", "V"],
  [2, "z", "z from", "z to", "B"],
];

const withAxis = (cell: Cell, axis: Axis, value: number): Cell =>
  cell.map((one, index) => (index === axis ? value : one)) as unknown as Cell;

/** The box with one side moved; the opposite side moves along if it must. */
export function movedSide({ low, high }: Box, axis: Axis, side: "low" | "high", value: number): Box {
  return side === "low"
    ? { low: withAxis(low, axis, value), high: withAxis(high, axis, Math.max(high[axis], value)) }
    : { low: withAxis(low, axis, Math.min(low[axis], value)), high: withAxis(high, axis, value) };
}

export function Cut({ slice, marking }: { slice: MarkingSlice; marking: Marking }) {
  const { cut, grid } = marking;
  const whole = wholeOf(grid.size);
  const isWhole = AXES.every(([axis]) => cut.low[axis] === 0 && cut.high[axis] === whole.high[axis]);
  const move = (box: Box): void => slice.dispatch({ type: "cut", cut: box });
  return (
    <details class="cut" data-cut>
      <summary>Cut it open {!isWhole && <span class="badge badge-accent">cut</span>}</summary>
      {AXES.map(([axis, name, low, high, key]) => (
        <fieldset class="cut-axis" key={name}>
          <legend class="sr-only">Along {name}</legend>
          {(["low", "high"] as const).map((side) => (
            <label class="cut-side" key={side}>
              <span>
                {side === "low" ? low : high} {side === "low" && <kbd>{key}</kbd>}
              </span>
              <input
                type="range"
                min={0}
                max={whole.high[axis]}
                step={1}
                value={cut[side][axis]}
                data-plane={`${axis}-${side}`}
                onInput={(event) => move(movedSide(cut, axis, side, event.currentTarget.valueAsNumber))}
              />
              <output>{cut[side][axis]}</output>
            </label>
          ))}
        </fieldset>
      ))}
      <button type="button" class="btn btn-small" data-whole aria-disabled={isWhole} onClick={() => move(whole)}>
        Show all again
      </button>
    </details>
  );
}
