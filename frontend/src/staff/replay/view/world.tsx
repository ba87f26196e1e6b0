/** The picture of the world with the choice of its camera. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Broken } from "../../../work/view/broken_picture";
import { keepFocus } from "../../../work/focus";
import { cameraButtons } from "../../../tools/voxels/camera/camera_steps";
import { WorldPicture, type View } from "../picture";
import type { Replay } from "../state";

const VIEWS: readonly (readonly [View, string])[] = [
  ["outside", "From outside"],
  ["worker", "Worker’s eyes"],
  ["agent", "Agent’s eyes"],
];

const TURNS = cameraButtons("All of the world in view");

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

interface Props {
  state: Replay;
  /** Holds the picture, so that keys can move it. */
  picture: { current: WorldPicture | null };
}

export function World({ state, picture }: Props) {
  const pane = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [view, setView] = useState<View>("outside");
  // A broken picture cannot be repaired, so a new canvas replaces it.
  const [turn, setTurn] = useState(0);
  const [isBroken, setBroken] = useState(false);
  useLayoutEffect(() => {
    if (!pane.current || !canvas.current) return;
    const made = new WorldPicture(
      { pane: pane.current, canvas: canvas.current },
      state.timeline.scene,
      () => stillness.matches,
      () => setBroken(true),
    );
    picture.current = made;
    return () => {
      picture.current = null;
      made.destroy();
    };
  }, [turn]);
  useEffect(() => picture.current?.show(state.moment, state.at_ms), [state.moment, state.at_ms, turn]);
  useEffect(() => picture.current?.look(view), [view, turn]);
  return (
    <div class="replay-world">
      <div class="replay-stage">
        <div
          class="picture-pane replay-pane"
          ref={pane}
          role="application"
          tabIndex={0}
          aria-label="The world at this moment, to be looked at from all sides"
          data-replay-pane
          data-view={view}
        >
          <canvas key={turn} ref={canvas} aria-hidden="true" />
        </div>
        {isBroken && (
          <Broken
            name="replay-broken"
            again={() => {
              setBroken(false);
              setTurn(turn + 1);
            }}
          />
        )}
      </div>
      <div class="replay-looks">
        <fieldset class="picture-choice replay-choice">
          <legend class="sr-only">Look at it</legend>
          {VIEWS.map(([value, label]) => (
            <label key={value}>
              <input
                type="radio"
                name="replay-view"
                value={value}
                checked={view === value}
                onChange={() => setView(value)}
              />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
        <div class="replay-turns" role="group" aria-label="Look from elsewhere" onMouseDown={keepFocus}>
          {TURNS.map(([label, sign, move]) => (
            <button
              type="button"
              class="btn btn-small"
              key={label}
              aria-label={label}
              title={label}
              disabled={view !== "outside"}
              onClick={() => picture.current?.move(move)}
            >
              {sign}
            </button>
          ))}
        </div>
      </div>
    </div>
  );
}
