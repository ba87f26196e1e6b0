/** Camera moves in steps, by keys while the picture has the focus, and by buttons. */

import { NEARER, TURN } from "../keys";

/** In degrees; the factor 2 is twice as near. */
export type CameraStep = { do: "turn"; yaw: number; pitch: number } | { do: "zoom"; factor: number } | { do: "reset" };

const turn = (yaw: number, pitch: number): CameraStep => ({ do: "turn", yaw, pitch });

const LEFT = turn(TURN, 0);
const RIGHT = turn(-TURN, 0);
const ABOVE = turn(0, -TURN);
const BELOW = turn(0, TURN);
const CLOSER: CameraStep = { do: "zoom", factor: NEARER };
const FARTHER: CameraStep = { do: "zoom", factor: 1 / NEARER };
const WHOLE: CameraStep = { do: "reset" };

export const CAMERA_KEYS: Readonly<Record<string, CameraStep>> = {
  ArrowLeft: LEFT,
  ArrowRight: RIGHT,
  ArrowUp: ABOVE,
  ArrowDown: BELOW,
  "+": CLOSER,
  "=": CLOSER,
  "-": FARTHER,
  "0": WHOLE,
};

/** The buttons; `whole` is the label of the one that shows everything. */
export function cameraButtons(whole: string): readonly (readonly [label: string, sign: string, move: CameraStep])[] {
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
