/** The world to walk in, the block in the hand, and controls on the screen. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Broken } from "../../../work/view/broken_picture";
import { keepFocus } from "../../../work/focus";
import { material } from "../../../world/palette";
import { atHand } from "../blocks";
import { MISSED_TEXTS } from "../texts";
import { pointingOf, whereIs } from "../pointing";
import { openWalk, type Missed, type Walk } from "../walking";
import { TouchControls } from "./touch_controls";
import { FirstMinutePanel } from "./first_minute_panel";
import { useNow, useView } from "./page";

export function WorldPart({ isHidden }: { isHidden: boolean }) {
  // A broken picture cannot be repaired, so a new one replaces it.
  const [turn, setTurn] = useState(0);
  const [isBroken, setBroken] = useState(false);
  const [isEntered, setEntered] = useState(false);
  const [isTouched] = useState(() => matchMedia("(hover: none) and (pointer: coarse)").matches);
  const [hasControls, setControls] = useState(isTouched);
  const [walk, setWalk] = useState<Walk | null>(null);
  const [missed, onMissed] = useMissed();
  const { state } = useView();
  useEffect(() => walk?.setBlockInHand(state.block), [walk, state.block]);
  useFlash(walk);
  // A hidden element has no size; the stage measures itself when it is visible again.
  useEffect(() => {
    if (!isHidden) walk?.stage.resize();
  }, [isHidden, walk]);
  return (
    <section class="live-world" aria-label="The world">
      <div class="live-stage" onFocusIn={() => setEntered(true)} onPointerDown={() => setEntered(true)}>
        <FirstMinutePanel />
        <Pane key={turn} onWalk={setWalk} onBroken={() => setBroken(true)} onMissed={onMissed} />
        {/* Not while something is highlighted for a question. */}
        {!isEntered && !isBroken && !pointingOf(state.live, state.looksAt) && (
          <p class="live-invite" aria-hidden="true" data-invite>
            <span>{isTouched ? "Touch" : "Click"} once to start looking around</span>
          </p>
        )}
        <Where missed={missed} />
        {hasControls && !isBroken && <TouchControls walk={walk} />}
        {isBroken && (
          <Broken
            kept="Your session goes on."
            again={() => {
              setTurn(turn + 1);
              setBroken(false);
            }}
          />
        )}
      </div>
      <Hand hasControls={hasControls} onControls={setControls} />
    </section>
  );
}

interface PaneProps {
  onWalk: (walk: Walk | null) => void;
  onBroken: () => void;
  onMissed: (why: Missed) => void;
}

function Pane({ onWalk, onBroken, onMissed }: PaneProps) {
  const { page } = useView();
  const pane = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const { session } = page;
    const { world } = session;
    if (!pane.current || !canvas.current || !world) return;
    const walk = openWalk(canvas.current, pane.current, world.scene(), session.place, {
      moved: (pose) => session.moved(pose),
      place: (at, block) => session.send({ type: "place", body: { at, block } }),
      destroy: (at) => session.send({ type: "destroy", body: { at } }),
      missed: onMissed,
      broken: onBroken,
    });
    world.listen({ block: (x, y, z, id) => walk.setBlock(x, y, z, id), agent: (pose) => walk.setAgent(pose) });
    onWalk(walk);
    return () => {
      world.listen(null);
      onWalk(null);
      walk.destroy();
    };
  }, []);
  return (
    <div
      class="live-pane"
      ref={pane}
      tabIndex={0}
      role="application"
      aria-label="The world of blocks"
      aria-describedby="world-help"
      data-world
    >
      <canvas ref={canvas} aria-hidden="true" />
      <p class="sr-only" id="world-help">
        You see the world through your own eyes. W, A, S and D walk, Space goes up, Shift goes down, arrow keys look
        around. E places a block, Q takes one away. R and F choose the block. Tab leaves the world.
      </p>
    </div>
  );
}

/** Highlights where the assistant points and paints the object that it understood. */
function useFlash(walk: Walk | null): void {
  const { live, looksAt } = useView().state;
  const { question, ask, pointed } = live;
  useEffect(() => {
    if (!walk) return;
    const pointing = pointingOf({ question, ask, pointed }, looksAt);
    walk.flash(pointing?.box ?? null);
    walk.mark(pointing?.cells ?? []);
  }, [walk, question?.node, question?.command, question?.objects, ask?.question, pointed, looksAt]);
}

const MISSED_MS = 4000;

/** Why the last press had no effect; shown for a while. */
function useMissed(): [Missed | null, (why: Missed) => void] {
  const [missed, setMissed] = useState<{ why: Missed } | null>(null);
  useEffect(() => {
    if (!missed) return;
    const timer = setTimeout(() => setMissed(null), MISSED_MS);
    return () => clearTimeout(timer);
  }, [missed]);
  return [missed?.why ?? null, (why) => setMissed({ why })];
}

const LOOK_AGAIN_MS = 300;

/** Where to turn while the highlighted box is out of view; otherwise why the last press had no effect. */
function Where({ missed }: { missed: Missed | null }) {
  const { page, state } = useView();
  const pointing = pointingOf(state.live, state.looksAt);
  useNow(pointing ? LOOK_AGAIN_MS : null);
  const where = pointing && whereIs(pointing.box, page.session.place);
  return (
    <p class="live-where" role="status" data-where>
      {where ? <span>It flashes {where}.</span> : missed && <span data-missed={missed}>{MISSED_TEXTS[missed]}</span>}
    </p>
  );
}

function Hand({ hasControls, onControls }: { hasControls: boolean; onControls: (has: boolean) => void }) {
  const { page, state } = useView();
  const blocks = state.task?.payload.blocks ?? [];
  const take = (id: number): void => page.store.dispatch({ type: "block", id });
  return (
    <div class="live-hand">
      {blocks.length > 0 && (
        <div class="live-swatches" role="group" aria-label="Block in your hand" onMouseDown={keepFocus}>
          {atHand(blocks).map((id) => (
            // With the keyboard a block is chosen from the list below, or by R and F in the world.
            <button
              type="button"
              class="live-swatch"
              key={id}
              tabIndex={-1}
              aria-pressed={state.block === id}
              aria-label={material(id).name}
              title={material(id).name}
              data-block={id}
              onClick={() => take(id)}
            >
              <span style={{ "--look": material(id).colour }} />
            </button>
          ))}
        </div>
      )}
      <div class="live-hand-line">
        {blocks.length > 0 && (
          <label class="live-block">
            <span>In your hand</span>
            <select value={state.block} data-block-list onChange={(event) => take(Number(event.currentTarget.value))}>
              {blocks.map((id) => (
                <option key={id} value={id}>
                  {material(id).name}
                </option>
              ))}
            </select>
          </label>
        )}
        <p class="live-hand-keys small muted">
          <kbd>W A S D</kbd> walk · <kbd>E</kbd> place · <kbd>Q</kbd> remove
        </p>
        <button
          type="button"
          class="btn btn-small"
          aria-pressed={hasControls}
          data-pad-toggle
          onMouseDown={keepFocus}
          onClick={() => onControls(!hasControls)}
        >
          Controls
        </button>
      </div>
    </div>
  );
}
