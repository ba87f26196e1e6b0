/** The picture with its choice of layers and their legend. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Broken } from "../../../work/view/broken_picture";
import type { Store } from "../../../work/store";
import { keepFocus } from "../../../work/focus";
import { cameraButtons } from "../../../tools/voxels/camera/camera_steps";
import { StyleSwatch } from "../../../tools/voxels/view/legend";
import { AIR, cellOf, type Scene } from "../../../world/frame";
import type { PaintStyle } from "../../../world/patterns";
import type { Grid } from "../../../world/grid";
import { groundOf } from "../../../world/ground";
import { layersShown, type ShownLayers } from "../layers_shown";
import { cutaway } from "../cutaway";
import { commandOf, KEY_HELP } from "../keys";
import type { Masks } from "../layers";
import { MaskPicture } from "../picture";
import { viewsOf, type Action, type SceneView } from "../state";
import { Choice } from "./choice";
import { KeyList } from "../../../work/view/key_list";

export interface AppProps {
  scene: Scene;
  grid: Grid;
  masks: Masks;
  store: Store<SceneView, Action>;
}

const TURNS = cameraButtons("All of the scene in view");

export function App({ scene, grid, masks, store }: AppProps) {
  const [sceneView, setSceneView] = useState(store.get());
  useLayoutEffect(() => store.subscribe(setSceneView), [store]);
  const now = useMemo(
    () => layersShown(masks, sceneView, (index) => grid.get(...cellOf(grid.size, index)) === AIR),
    [masks, sceneView.view, sceneView.one, sceneView.a, sceneView.b],
  );
  return (
    <div class="masks">
      <View scene={scene} grid={grid} masks={masks} sceneView={sceneView} now={now} store={store} />
      <div class="masks-side card">
        {viewsOf(masks).length > 0 && <Choice masks={masks} sceneView={sceneView} dispatch={store.dispatch} />}
        {masks.layers.length > 0 && (
          <Legend now={now} off={sceneView.off} onStyle={(style) => store.dispatch({ type: "style", style })} />
        )}
        <div>
          <label class="check small">
            <input
              type="checkbox"
              checked={sceneView.isGroundHidden}
              onChange={() => store.dispatch({ type: "ground" })}
            />{" "}
            <span>Hide the ground</span>
          </label>
          {masks.layers.length > 0 && (
            <label class="check small">
              <input type="checkbox" checked={sceneView.isBare} onChange={() => store.dispatch({ type: "bare" })} />{" "}
              <span>Only what is marked</span>
            </label>
          )}
        </div>
        <Keys />
      </div>
    </div>
  );
}

function View({ scene, grid, masks, sceneView, now, store }: AppProps & { sceneView: SceneView; now: ShownLayers }) {
  const pane = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const picture = useRef<MaskPicture | null>(null);
  // A broken picture cannot be repaired, so a new canvas replaces it.
  const [turn, setTurn] = useState(0);
  const [isBroken, setBroken] = useState(false);
  useLayoutEffect(() => {
    if (!pane.current || !canvas.current) return;
    const made = new MaskPicture({ pane: pane.current, canvas: canvas.current }, scene, grid, () => setBroken(true));
    picture.current = made;
    return () => {
      picture.current = null;
      made.destroy();
    };
  }, [turn]);
  const layers = useMemo(() => now.layers.filter(({ style }) => !sceneView.off.includes(style)), [now, sceneView.off]);
  useEffect(() => picture.current?.paint(layers), [layers, turn]);
  const ground = useMemo(() => groundOf(grid), [grid]);
  useEffect(
    () => picture.current?.hide(cutaway(sceneView, grid, ground, layers)),
    [sceneView.isGroundHidden, sceneView.isBare, layers, turn],
  );
  const key = (event: KeyboardEvent): void => {
    const command = commandOf(event);
    if (!command) return;
    event.preventDefault();
    switch (command.do) {
      case "move":
        return picture.current?.move(command.move);
      case "ground":
      case "bare":
        return event.repeat ? undefined : store.dispatch({ type: command.do });
      case "shares":
        return viewsOf(masks).includes("shares") ? store.dispatch({ type: "view", view: "shares" }) : undefined;
      case "answer": {
        const id = `answer-${command.number}`;
        return masks.layers.some((layer) => layer.id === id) ? store.dispatch({ type: "one", id }) : undefined;
      }
    }
  };
  return (
    <div class="masks-stage">
      <div
        class="picture-pane"
        ref={pane}
        role="application"
        tabIndex={0}
        aria-label="The scene, to be looked at from all sides"
        {...(masks.layers.length > 0 ? { "aria-describedby": "masks-summary" } : {})}
        data-masks-pane
        onKeyDown={key}
      >
        <canvas key={turn} ref={canvas} aria-hidden="true" />
      </div>
      <div class="stage-turns" role="group" aria-label="Look from elsewhere" onMouseDown={keepFocus}>
        {TURNS.map(([label, sign, move]) => (
          <button
            type="button"
            class="stage-turn"
            key={label}
            aria-label={label}
            title={label}
            onClick={() => picture.current?.move(move)}
          >
            {sign}
          </button>
        ))}
      </div>
      {isBroken && (
        <Broken
          again={() => {
            setBroken(false);
            setTurn(turn + 1);
          }}
        />
      )}
    </div>
  );
}

function Legend({
  now,
  off,
  onStyle,
}: {
  now: ShownLayers;
  off: SceneView["off"];
  onStyle: (style: PaintStyle) => void;
}) {
  return (
    <section class="masks-legend" aria-label="What is what">
      <p id="masks-summary" role="status">
        {now.summary}
      </p>
      <ul>
        {now.layers.map(({ style, words, cells }) => (
          <li key={style} data-look={style}>
            <label>
              <input type="checkbox" checked={!off.includes(style)} onChange={() => onStyle(style)} />
              <StyleSwatch style={style} /> <span class="masks-words">{words}</span>{" "}
              <span class="num">{cells.length.toLocaleString("en")}</span>
            </label>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Keys() {
  return (
    <details class="small">
      <summary>Keys and mouse</summary>
      <p class="muted">
        Drag to turn, with Shift to slide; the wheel goes nearer once the picture is chosen. While it is:
      </p>
      <KeyList help={KEY_HELP} look="masks-keys" />
    </details>
  );
}
