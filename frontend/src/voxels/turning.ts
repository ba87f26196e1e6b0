/** How the camera of a picture that is only looked at is moved step by step: by keys while it has the focus, by buttons. */

import { NEARER, TURN } from "./keys";

/** Degrees; 2 is twice as near. */
export type Turning = { do: "turn"; yaw: number; pitch: number } | { do: "zoom"; factor: number } | { do: "reset" };

const turn = (yaw: number, pitch: number): Turning => ({ do: "turn", yaw, pitch });

const LEFT = turn(TURN, 0);
const RIGHT = turn(-TURN, 0);
const ABOVE = turn(0, -TURN);
const BELOW = turn(0, TURN);
const CLOSER: Turning = { do: "zoom", factor: NEARER };
const FARTHER: Turning = { do: "zoom", factor: 1 / NEARER };
const WHOLE: Turning = { do: "reset" };

export const TURNING_KEYS: Readonly<Record<string, Turning>> = {
  ArrowLeft: LEFT,
  ArrowRight: RIGHT,
  ArrowUp: ABOVE,
  ArrowDown: BELOW,
  "+": CLOSER,
  "=": CLOSER,
  "-": FARTHER,
  "0": WHOLE,
};

/** The buttons; `whole` names the one that brings all of it into view. */
export function turningButtons(whole: string): readonly (readonly [label: string, sign: string, move: Turning])[] {
  return [
    ["Turn left", "↶", LEFT],
    ["Turn right", "↷", RIGHT],
    ["See more from above", "⤒", ABOVE],
    ["See more from below", "⤓", BELOW],
    ["Nearer", "+", CLOSER],
    ["Farther", "−", FARTHER],
    [whole, "All", WHOLE],
  ];
}
