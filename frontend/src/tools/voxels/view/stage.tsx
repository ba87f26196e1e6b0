/** The two linked pictures under one canvas, or one picture if nothing can be marked. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Broken } from "../../../work/view/broken_picture";
import { keepFocus } from "../../../work/focus";
import type { MarkingSlice } from "../marking/store_slice";
import { NEARER, TURN, type Command } from "../keys";
import { Picture } from "../picture";
import { Icon } from "../../../work/view/icon";

export interface StageProps {
  slice: MarkingSlice;
  isLooking: boolean;
  /** The name of the picture. */
  label: string;
  run: (command: Command) => void;
  onPicture: (picture: Picture | null) => void;
}

/** The label, the path of the icon on 16 × 16, and the command. */
const TURNS: readonly (readonly [label: string, lines: string, command: Command])[] = [
  ["Turn left", "M3 8a5 5 0 1 1 2 4M3 3.5V8h4.5", { do: "turn", yaw: TURN, pitch: 0 }],
  ["Turn right", "M13 8a5 5 0 1 0-2 4M13 3.5V8H8.5", { do: "turn", yaw: -TURN, pitch: 0 }],
  ["See more from above", "M3 3h10M8 14V7M4.5 10 8 6.5l3.5 3.5", { do: "turn", yaw: 0, pitch: -TURN }],
  ["See more from below", "M3 13h10M8 2v7M4.5 6 8 9.5 11.5 6", { do: "turn", yaw: 0, pitch: TURN }],
  ["Nearer", "M8 3v10M3 8h10", { do: "zoom", factor: NEARER }],
  ["Farther", "M3 8h10", { do: "zoom", factor: 1 / NEARER }],
  ["Whole scene in view", "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4", { do: "reset" }],
];

export function Stage(props: StageProps) {
  // A broken picture cannot be repaired, so a new one replaces it.
  const [turn, setTurn] = useState(0);
  const [isBroken, setBroken] = useState(false);
  const again = (): void => {
    setTurn(turn + 1);
    setBroken(false);
  };
  return (
    <div class="stage">
      <Panes key={turn} {...props} onBroken={() => setBroken(true)} />
      <div class="stage-turns" role="group" aria-label="Look from elsewhere" onMouseDown={keepFocus}>
        {TURNS.map(([label, lines, command]) => (
          <button
            type="button"
            class="stage-turn"
            key={label}
            aria-label={label}
            title={label}
            onClick={() => props.run(command)}
          >
            <Icon lines={lines} size={16} />
          </button>
        ))}
      </div>
      {isBroken && <Broken kept="Your marks are kept." again={again} />}
    </div>
  );
}

function Panes({ slice, isLooking, label, onPicture, onBroken }: StageProps & { onBroken: () => void }) {
  const area = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const root = area.current?.closest<HTMLElement>("[data-voxels]");
    if (!area.current || !canvas.current || !root) return;
    const panes = [...area.current.querySelectorAll<HTMLElement>("[data-pane]")];
    const picture = new Picture({ root, area: area.current, canvas: canvas.current, panes }, slice, onBroken);
    onPicture(picture);
    return () => {
      onPicture(null);
      picture.destroy();
    };
  }, [slice, isLooking]);
  return (
    <div
      class={`panes ${isLooking ? "is-one" : ""}`}
      key={isLooking ? "one" : "two"}
      ref={area}
      role="application"
      tabIndex={0}
      aria-label={label}
      aria-describedby="voxels-help"
      data-picture
    >
      {!isLooking && (
        <div class="pane" data-pane="original">
          <span class="pane-name">Original</span>
        </div>
      )}
      <div class="pane" data-pane="working">
        {!isLooking && <span class="pane-name">Working copy</span>}
      </div>
      <canvas ref={canvas} aria-hidden="true" />
      <p class="sr-only" id="voxels-help">
        {isLooking
          ? "A scene of blocks. Arrow keys, Page Up and Page Down walk a cursor that tells what is there. Q, E, R and F turn the scene."
          : "A scene of blocks. Arrow keys, Page Up and Page Down walk a cursor that tells what is there; Enter uses the tool in hand. Question mark lists all keys."}
      </p>
    </div>
  );
}
