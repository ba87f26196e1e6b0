/** The marking editor alone, for a page that corrects marks: no lease, no draft, no answer. */

import "../../styles/tools/voxels.css";
import { render } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { focusOf } from "../../work/focus";
import { createStore } from "../../work/store";
import type { Scene } from "../../world/frame";
import { leavesPicture, runner } from "./commands";
import { remarkWords } from "./texts";
import { sliceOf, type MarkingSlice } from "./marking/store_slice";
import { commandOf, repeats, type Command } from "./keys";
import { begin, reduceMarking, type Marking } from "./marking/marking";
import type { Picture } from "./picture";
import { sorted } from "./marking/runs";
import { Cut } from "./view/cut";
import { Aloud, Info } from "./view/info";
import { Legend } from "./view/legend";
import { Marks } from "./view/marks";
import { focusPicture, focusPlane } from "./view/places";
import { Stage } from "./view/stage";
import { Takebacks, Tools } from "./view/tools";

export interface EditorOptions {
  scene: Scene;
  phrase: string;
  /** Flat indices that are marked at the start. */
  start: Iterable<number>;
  /** Called after every change with all marks, as sorted flat indices. */
  onChange: (marks: number[]) => void;
}

export interface Editor {
  /** Sorted flat indices. */
  marks(): number[];
  destroy(): void;
}

/** Single-letter keys work only while the focus is inside it. */
export function mountEditor(place: HTMLElement, { scene, phrase, start, onChange }: EditorOptions): Editor {
  const store = createStore(reduceMarking, begin(scene, { marks: new Set(start) }));
  const slice = sliceOf(store);
  const nothing = (): void => {};
  const run = runner(slice, {
    submit: nothing,
    help: nothing,
    absent: nothing,
    openPlane: (axis) => focusPlane(axis, place),
    focusPicture: () => focusPicture(place),
  });
  const key = (event: KeyboardEvent): void => {
    const command = event.defaultPrevented ? null : commandOf(event, focusOf(event.target), true);
    if (!command || ["submit", "help", "absent"].includes(command.do) || leavesPicture(slice.get(), command)) return;
    event.preventDefault();
    if (!event.repeat || repeats(command)) run(command);
  };
  place.addEventListener("keydown", key);
  const stop = store.subscribe((now, before) => {
    if (now.marks !== before.marks) onChange(sorted(now.marks));
  });
  place.replaceChildren();
  render(
    <MarksEditor slice={slice} initial={store.get()} phrase={phrase} run={run} focus={() => focusPicture(place)} />,
    place,
  );
  return {
    marks: () => sorted(store.get().marks),
    destroy: () => {
      stop();
      place.removeEventListener("keydown", key);
      render(null, place);
    },
  };
}

interface Props {
  slice: MarkingSlice;
  initial: Marking;
  phrase: string;
  run: (command: Command) => void;
  focus: () => void;
}

function MarksEditor({ slice, initial, phrase, run, focus }: Props) {
  const [marking, setMarking] = useState(initial);
  const picture = useRef<Picture | null>(null);
  useLayoutEffect(() => slice.subscribe((now) => now && setMarking(now)), [slice]);
  return (
    <div class="voxels is-editor" data-voxels>
      <header class="voxels-head">
        <h2 class="phrase" dir="auto">
          Mark: <em data-phrase>{phrase}</em>
        </h2>
      </header>
      <Stage
        slice={slice}
        isLooking={false}
        label="The scene: original and working copy"
        run={run}
        onPicture={(found) => {
          picture.current = found;
        }}
      />
      <div class="dock">
        <Tools slice={slice} marking={marking} run={run} />
        <div class="foot">
          <div class="foot-lines">
            <Info marking={marking} />
            <p class="foot-remark" role="status">
              {remarkWords(marking.remark)}
            </p>
          </div>
          <div class="ways">
            <Takebacks marking={marking} run={run} />
          </div>
        </div>
      </div>
      <aside class="side card" aria-label="Marks and legend">
        <div class="side-scroll">
          <Marks slice={slice} marking={marking} onLook={(cells) => picture.current?.lookAt(cells)} onGone={focus} />
          <Cut slice={slice} marking={marking} />
          <Legend marking={marking} />
        </div>
      </aside>
      <Aloud marking={marking} />
    </div>
  );
}
