/** The picture, its loading messages, and the controls under it. */

import type { RefObject } from "preact";
import { exactTime } from "../units";
import type { Command } from "../keys";
import { Icon, type IconName } from "./icons";
import { keepFocus } from "../../../work/focus";
import { moved, stepped, transformOf, WHOLE } from "../zoom";
import { usePlayer, useView, type PlayerPage } from "./page";

export function Stage({
  canvas,
  decoders,
}: {
  canvas: RefObject<HTMLCanvasElement | null>;
  decoders: RefObject<HTMLDivElement | null>;
}) {
  const { page, state } = useView();
  const label = page.session?.claim ? `The video of: ${page.session.claim.payload.instruction}` : "The video";
  return (
    <div class={`stage ${state.zoom.times > 1 ? "is-near" : ""}`} {...pointing(page.store)}>
      <div class="stage-decoders" ref={decoders} aria-hidden="true" />
      <canvas
        class="stage-picture"
        data-scrub-surface
        ref={canvas}
        width={640}
        height={360}
        style={{ transform: transformOf(state.zoom) }}
        role="img"
        aria-label={label}
      />
      <span class="stage-note" aria-hidden="true">
        preview
      </span>
      {state.video === "loading" && state.screen.is !== "refused" && <p class="stage-wait">Loading the video …</p>}
      {state.video === "broken" && <Trouble />}
    </div>
  );
}

/** The wheel looks nearer at the place under the pointer; a drag moves the picture that is looked at nearer. */
function pointing({ get, dispatch }: Pick<PlayerPage["store"], "get" | "dispatch">) {
  const shareOf = (event: MouseEvent): { x: number; y: number; width: number; height: number } => {
    const stage = event.currentTarget as HTMLElement;
    const { left, top, width, height } = stage.getBoundingClientRect();
    return { x: (event.clientX - left) / width, y: (event.clientY - top) / height, width, height };
  };
  return {
    onWheel: (event: WheelEvent) => {
      if (event.deltaY === 0) return;
      const { zoom } = get();
      const next = stepped(zoom, event.deltaY < 0 ? 1 : -1, shareOf(event));
      // At its limits the wheel scrolls the page as everywhere.
      if (next.times !== zoom.times) event.preventDefault();
      dispatch({ type: "zoom", zoom: next });
    },
    onPointerMove: (event: PointerEvent) => {
      const { zoom } = get();
      if (event.buttons !== 1 || zoom.times === 1) return;
      const { width, height } = shareOf(event);
      dispatch({ type: "zoom", zoom: moved(zoom, event.movementX / width, event.movementY / height) });
    },
    onDblClick: () => dispatch({ type: "zoom", zoom: WHOLE }),
  };
}

function Trouble() {
  const { page } = useView();
  const session = page.session;
  const said = document.querySelector<HTMLElement>("[data-scrub-root]")?.dataset.error;
  return (
    <div class="stage-trouble" role="alert">
      <p>{said}</p>
      <p>
        {page.quiz
          ? "You can try again. If it goes on, write to whoever sent you here."
          : "You can try again, or report it and go on with the next video."}
      </p>
      <div class="row">
        <button class="btn" type="button" onClick={() => void session?.reloadVideo()}>
          Try again
        </button>
        {!page.quiz && (
          <button
            class="btn btn-primary"
            type="button"
            onClick={() => void session?.report("video_broken", said ?? "")}
          >
            Report it and go on
          </button>
        )}
      </div>
    </div>
  );
}

type Face = { icon: IconName } | { text: string };

interface Control {
  name: string;
  key: string;
  face: Face;
  command: Command;
}

const CONTROLS: readonly Control[] = [
  { name: "First picture", key: "Home", face: { icon: "first" }, command: { do: "go", to: "first" } },
  { name: "One second back", key: "Page Down", face: { text: "−1 s" }, command: { do: "jump", seconds: -1 } },
  { name: "One picture back", key: ",", face: { icon: "back" }, command: { do: "step", frames: -1 } },
  { name: "Play", key: "Space", face: { icon: "play" }, command: { do: "toggle" } },
  { name: "One picture forward", key: ".", face: { icon: "forward" }, command: { do: "step", frames: 1 } },
  { name: "One second forward", key: "Page Up", face: { text: "+1 s" }, command: { do: "jump", seconds: 1 } },
  { name: "Last picture", key: "End", face: { icon: "last" }, command: { do: "go", to: "last" } },
];
const PAUSE: Control = { name: "Pause", key: "Space", face: { icon: "pause" }, command: { do: "toggle" } };

const speedWords = (speed: number): string => `${speed === 0.5 ? "½" : speed}×`;

export function Transport() {
  const { page, state, table } = usePlayer();
  const off = !table || state.video === "broken";
  return (
    <div class="transport">
      <div class="transport-keys" role="group" aria-label="Move through the video" onMouseDown={keepFocus}>
        {CONTROLS.map((control) => {
          const isPlay = control.command.do === "toggle";
          const { name, key, face, command } = isPlay && state.rate !== 0 ? PAUSE : control;
          return (
            <button
              key={control.name}
              type="button"
              class={`btn btn-icon ${isPlay ? "btn-play" : ""}`}
              disabled={off}
              aria-label={"text" in face ? `${face.text}, ${name.toLowerCase()}` : name}
              title={`${name} (${key})`}
              onClick={() => page.run(command)}
            >
              {"icon" in face ? <Icon name={face.icon} /> : face.text}
            </button>
          );
        })}
        <button
          type="button"
          class="btn btn-icon btn-speed"
          disabled={off}
          aria-label={`Speed ${speedWords(state.speed)}, press to change`}
          title="How fast Play plays: press to change"
          onClick={() => page.run({ do: "speed" })}
        >
          <span class="btn-speed-word">Speed</span> {speedWords(state.speed)}
        </button>
      </div>
      <p class="transport-place">
        {table && (
          <>
            <b>{exactTime(table.start(state.position))}</b> · frame {state.position} of {table.last}
          </>
        )}
      </p>
    </div>
  );
}
