/** The position in the video: the filmstrip, the timeline, and a close-up of a few seconds. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { exactTime, place, seconds, type Frame } from "../units";
import { clock } from "../../../work/formats";
import { SIGN } from "../texts";
import { rowOfFrames, thumbFor } from "../filmstrip";
import type { FrameTable } from "../frames";
import { bandPath, nearMoment } from "../moments";
import type { ActivityData, FilmstripData } from "../payload";
import { usePlayer } from "./page";

/** A press so near to a tick goes to it. */
const REACH_PX = 8;
/** Half of the close-up. */
const NEAR = seconds(2);
const NEAR_FRAMES = 15;

const percent = (at: number, last: number): string => `${last > 0 ? (100 * at) / last : 0}%`;

export function Timeline() {
  const { page, state, table, payload } = usePlayer();
  const last = table?.last ?? 0;
  const { task, position } = state;
  const words = table ? place(table.start(position), position, last, ", ") : "";
  return (
    <div class="timeline">
      <Strip
        data={payload?.video.filmstrip ?? null}
        frames={task?.frames ?? 0}
        onPick={(frame) => page.run({ do: "to", frame })}
      />
      <div class="track">
        {task && (
          <div class="track-scale" aria-hidden="true">
            <i
              class="track-span"
              style={{ left: percent(task.first, last), right: `calc(100% - ${percent(task.last, last)})` }}
            />
            <i class="track-post" style={{ left: percent(task.first, last) }} />
            <i class="track-post" style={{ left: percent(task.last, last) }} />
          </div>
        )}
        <input
          type="range"
          data-scrub-slider
          aria-label="Place in the video"
          aria-valuetext={words}
          min={0}
          max={last}
          step={1}
          value={position}
          disabled={!table}
          onInput={(event) => page.run({ do: "to", frame: event.currentTarget.valueAsNumber })}
        />
        {state.marker && (
          <div class="track-scale track-over" aria-hidden="true">
            <b class={`pin pin-${state.marker.outcome}`} style={{ left: percent(state.marker.at, last) }}>
              {SIGN[state.marker.outcome]}
            </b>
          </div>
        )}
      </div>
      {payload?.video.activity && (
        <Band data={payload.video.activity} last={last} onPick={(frame) => page.run({ do: "to", frame })} />
      )}
      <Labels table={table} />
      <Closer table={table} />
    </div>
  );
}

/** Where something happens: the height is how much changes, a tick is where a change begins. */
function Band({ data, last, onPick }: { data: ActivityData; last: number; onPick: (frame: number) => void }) {
  const path = useMemo(() => bandPath(data.band), [data]);
  const pick = (event: PointerEvent): void => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const at = Math.round(((event.clientX - box.left) / box.width) * last);
    onPick(nearMoment(data.moments, at, (REACH_PX / box.width) * last));
  };
  return (
    <div class="band" aria-hidden="true" title="Where something changes: press to go there (Q, E)" onPointerDown={pick}>
      <svg viewBox="0 0 1000 100" preserveAspectRatio="none">
        <path d={path} />
      </svg>
      {data.moments.map((moment) => (
        <i class="band-tick" key={moment} style={{ left: percent(moment, last) }} />
      ))}
    </div>
  );
}

function Labels({ table }: { table: FrameTable | null }) {
  const { state } = usePlayer();
  const { task } = state;
  if (!task || !table) return <div class="track-labels" />;
  const wide = (from: number, to: number): boolean => (to - from) / Math.max(1, table.last) > 0.12;
  return (
    <div class="track-labels" aria-hidden="true">
      <div class="track-scale">
        {wide(0, task.first) && (
          <span class="track-label" style={{ left: 0, width: percent(task.first, table.last) }}>
            before
          </span>
        )}
        <span class="track-label" style={{ left: percent(task.first, table.last) }}>
          takeover {clock(table.start(task.first))}
        </span>
        {wide(task.first, task.last) && (
          <span class="track-label track-label-end" style={{ right: `calc(100% - ${percent(task.last, table.last)})` }}>
            deadline {clock(table.start(task.last))}
          </span>
        )}
      </div>
    </div>
  );
}

/**
 * A second slider over a few seconds around the position: one pixel is at most one picture. It moves on when the
 * position leaves it.
 */
function Closer({ table }: { table: FrameTable | null }) {
  const { page, state } = usePlayer();
  const [middle, setMiddle] = useState<Frame>(state.position);
  const holding = useRef(false);
  const { position } = state;
  const from = table ? Math.min(table.at(seconds(table.start(middle) - NEAR)), Math.max(0, middle - NEAR_FRAMES)) : 0;
  const to = table
    ? Math.max(table.at(seconds(table.start(middle) + NEAR)), Math.min(table.last, middle + NEAR_FRAMES))
    : 0;
  // Near the edge the slider could not go on, so move it, but never while it is dragged.
  const rim = Math.max(1, Math.round((to - from) / 12));
  const atRim = (position - from < rim && from > 0) || (to - position < rim && to < (table?.last ?? 0));
  const turn = atRim && (!holding.current || position < from || position > to);
  useEffect(() => {
    if (turn) setMiddle(position);
  }, [turn, position]);
  const settle = (): void => {
    holding.current = false;
    if (atRim) setMiddle(position);
  };
  return (
    <div class="closer">
      <span class="closer-end">{table ? exactTime(table.start(from as Frame)) : ""}</span>
      <input
        type="range"
        class="closer-range"
        aria-label="Close look: a few seconds around the place"
        aria-valuetext={table ? place(table.start(position), position, table.last, ", ") : ""}
        min={from}
        max={to}
        step={1}
        value={Math.min(Math.max(position, from), to)}
        disabled={!table}
        onPointerDown={() => (holding.current = true)}
        onInput={(event) => page.run({ do: "to", frame: event.currentTarget.valueAsNumber })}
        onChange={settle}
      />
      <span class="closer-end">{table ? exactTime(table.start(to as Frame)) : ""}</span>
    </div>
  );
}

/** Thumbnails along the whole video. Mouse and finger can seek on them; the slider below does the same for everyone. */
function Strip({
  data,
  frames,
  onPick,
}: {
  data: FilmstripData | null;
  frames: number;
  onPick: (frame: number) => void;
}) {
  const row = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    if (!row.current) return undefined;
    const watch = new ResizeObserver(
      ([entry]) => entry && setSize({ width: entry.contentRect.width, height: entry.contentRect.height }),
    );
    watch.observe(row.current);
    return () => watch.disconnect();
  }, []);
  const pick = (event: PointerEvent): void => {
    if (!row.current || frames === 0 || event.buttons !== 1) return;
    const box = row.current.getBoundingClientRect();
    onPick(Math.round(((event.clientX - box.left) / box.width) * (frames - 1)));
  };
  // A hidden strip has no size and needs no pictures.
  const cells =
    data && size.width > 0 && size.height > 0
      ? Math.max(4, Math.round((size.width * data.height) / (size.height * data.width)))
      : 0;
  return (
    <div
      class="strip"
      ref={row}
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        pick(event);
      }}
      onPointerMove={pick}
    >
      {data && rowOfFrames(frames, cells).map((at, i) => <Cell key={i} data={data} frames={frames} at={at} />)}
    </div>
  );
}

function Cell({ data, frames, at }: { data: FilmstripData; frames: number; at: Frame }) {
  const thumb = thumbFor(data, at, frames);
  const share = (index: number, count: number): string => `${count > 1 ? (100 * index) / (count - 1) : 0}%`;
  return (
    <span
      class="strip-cell"
      style={{
        backgroundImage: `url("${data.urls[thumb.sheet]}")`,
        backgroundSize: `${data.columns * 100}% ${thumb.rows * 100}%`,
        backgroundPosition: `${share(thumb.column, data.columns)} ${share(thumb.row, thumb.rows)}`,
      }}
    />
  );
}
