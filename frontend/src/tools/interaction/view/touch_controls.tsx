/** Buttons over the world for everything that keys do. A button is held like a key, by finger, mouse or keyboard. */

import type { Action, Walk } from "../walking";
import { Icon } from "../../../work/view/icon";

/** The label, the path of the icon on 16 × 16, and the action. */
type Control = readonly [label: string, lines: string, action: Action];

const WALKING: readonly (Control | null)[] = [
  ["Turn left", "M3 8a5 5 0 1 1 2 4M3 3.5V8h4.5", "turn_left"],
  ["Walk ahead", "M8 13V3M4 7l4-4 4 4", "forward"],
  ["Turn right", "M13 8a5 5 0 1 0-2 4M13 3.5V8H8.5", "turn_right"],
  ["Walk left", "M13 8H3M7 4 3 8l4 4", "left"],
  ["Walk back", "M8 3v10M4 9l4 4 4-4", "back"],
  ["Walk right", "M3 8h10M9 4l4 4-4 4", "right"],
];
const DOING: readonly (Control | null)[] = [
  ["Look up", "M3 3h10M8 14V7M4.5 10 8 6.5l3.5 3.5", "look_up"],
  ["Up", "M4 9l4-4 4 4M4 13l4-4 4 4", "up"],
  ["Place a block", "M8 3v10M3 8h10", "place"],
  ["Look down", "M3 13h10M8 2v7M4.5 6 8 9.5l3.5-3.5", "look_down"],
  ["Down", "M4 7l4 4 4-4M4 3l4 4 4-4", "down"],
  ["Take a block away", "M3 8h10", "destroy"],
];

/** The length of a press without an end, such as one by an assistive program. */
const PRESS_MS = 250;

export function TouchControls({ walk }: { walk: Walk | null }) {
  return (
    <>
      <div class="live-pad live-pad-walk" role="group" aria-label="Walk and turn">
        {WALKING.map((knob) => knob && <ControlButton key={knob[2]} knob={knob} walk={walk} />)}
      </div>
      <div class="live-pad live-pad-do" role="group" aria-label="Look, go up and down, build">
        {DOING.map((knob) => knob && <ControlButton key={knob[2]} knob={knob} walk={walk} />)}
      </div>
    </>
  );
}

function ControlButton({ knob: [label, lines, action], walk }: { knob: Control; walk: Walk | null }) {
  const press = (isDown: boolean): void => walk?.press(action, isDown);
  return (
    <button
      type="button"
      class="live-knob"
      aria-label={label}
      title={label}
      data-action={action}
      onPointerDown={(event) => {
        // The focus stays on the world, and the press stays with the button.
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        press(true);
      }}
      onMouseDown={(event) => event.preventDefault()}
      onPointerUp={() => press(false)}
      onPointerCancel={() => press(false)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        if (!event.repeat) press(true);
      }}
      onKeyUp={() => press(false)}
      onBlur={() => press(false)}
      onClick={(event) => {
        // Presses by mouse or finger are already handled.
        if (event.detail !== 0) return;
        press(true);
        setTimeout(() => press(false), PRESS_MS);
      }}
    >
      <Icon lines={lines} size={18} />
    </button>
  );
}
