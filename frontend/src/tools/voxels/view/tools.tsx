/** The tools as a row of buttons, and undo, redo and clear. */

import { keepFocus } from "../../../work/focus";
import { TOOL_WORDS } from "../texts";
import type { MarkingSlice } from "../marking/store_slice";
import type { Command } from "../keys";
import { shownMarks, type Marking } from "../marking/marking";
import { BRUSH_SIZES, TOOLS } from "../marking/tools";

export interface ToolsProps {
  slice: MarkingSlice;
  marking: Marking;
  run: (command: Command) => void;
}

export function Tools({ slice, marking, run }: ToolsProps) {
  return (
    <div class="tools" role="group" aria-label="Tools" onMouseDown={keepFocus}>
      <div class="tools-row tools-pick">
        {TOOLS.map((tool, index) => (
          <button
            type="button"
            class="btn tool"
            key={tool}
            data-tool={tool}
            title={`${TOOL_WORDS[tool].label}: ${TOOL_WORDS[tool].hint}`}
            aria-pressed={marking.tool === tool}
            onClick={() => run({ do: "tool", tool })}
          >
            {TOOL_WORDS[tool].label} <kbd>{index + 1}</kbd>
          </button>
        ))}
        <span class="brush-sizes" role="group" aria-label="Width of the brush in blocks">
          <span class="brush-width muted" aria-hidden="true">
            Width
          </span>
          {BRUSH_SIZES.map((size) => (
            <button
              type="button"
              class="btn tool"
              key={size}
              data-brush={size}
              aria-label={`${2 * size - 1} wide`}
              aria-pressed={marking.tool === "brush" && marking.brush === size}
              onClick={() => slice.dispatch({ type: "brush", size })}
            >
              {2 * size - 1}
            </button>
          ))}
        </span>
      </div>
      <div class="tools-row tools-how">
        <button
          type="button"
          class="btn tool"
          data-act
          aria-pressed={marking.act === "unmark"}
          onClick={() => run({ do: "unmark" })}
        >
          Unmark <kbd>U</kbd>
        </button>
        <button
          type="button"
          class="btn tool"
          data-air
          aria-pressed={marking.target === "air"}
          onClick={() => run({ do: "air" })}
        >
          Air <kbd>A</kbd>
        </button>
        <button
          type="button"
          class="btn tool"
          data-ground
          aria-pressed={marking.isGroundHidden}
          aria-disabled={marking.ground.size === 0}
          onClick={() => marking.ground.size > 0 && run({ do: "ground" })}
        >
          Hide ground <kbd>G</kbd>
        </button>
      </div>
    </div>
  );
}

/** Undo, redo and clear. They are always in place; without effect they show a message. */
export function Takebacks({ marking, run }: Omit<ToolsProps, "slice">) {
  const canUndo = marking.past.length > 0 || marking.corner !== null || marking.isAbsent;
  return (
    <span class="takebacks" role="group" aria-label="Take back" onMouseDown={keepFocus}>
      <button type="button" class="btn tool" data-undo aria-disabled={!canUndo} onClick={() => run({ do: "undo" })}>
        Undo <kbd>Z</kbd>
      </button>
      <button
        type="button"
        class="btn tool"
        data-redo
        aria-disabled={marking.future.length === 0 || marking.isAbsent}
        onClick={() => run({ do: "redo" })}
      >
        Redo <kbd>Y</kbd>
      </button>
      <button
        type="button"
        class="btn tool"
        data-clear
        aria-disabled={shownMarks(marking).size === 0}
        onClick={() => run({ do: "clear" })}
      >
        Clear <kbd>C</kbd>
      </button>
    </span>
  );
}
