/** The marking alone, for a page that corrects marks without being at work: no lease, no draft, no answer of its own. */

import "../styles/voxels.css";
import { render } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { focusOf } from "../shared/focus";
import { createStore } from "../shared/store";
import type { Scene } from "../world/frame";
import { runner } from "./commands";
import { remarkWords } from "./copy";
import { deskOf, type Desk } from "./desk";
import { commandOf, repeats, type Command } from "./keys";
import { begin, reduceMarking, type Marking } from "./marking";
import type { Picture } from "./picture";
import { sorted } from "./runs";
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
  /** Flat indices that are marked at first. */
  start: Iterable<number>;
  /** After every change: all that is marked, sorted flat indices. */
  onChange: (marks: number[]) => void;
}

export interface Editor {
  /** Sorted flat indices. */
  marks(): number[];
  destroy(): void;
}

/** Its single-letter keys count only while the focus is within it. */
export function mountEditor(place: HTMLElement, { scene, phrase, start, onChange }: EditorOptions): Editor {
  const store = createStore(reduceMarking, begin(scene, { marks: new Set(start) }));
  const desk = deskOf(store);
  const nothing = (): void => {};
  const run = runner(desk, {
    submit: nothing,
    help: nothing,
    absent: nothing,
    openPlane: (axis) => focusPlane(axis, place),
    focusPicture: () => focusPicture(place),
  });
  const key = (event: KeyboardEvent): void => {
    const command = event.defaultPrevented ? null : commandOf(event, focusOf(event.target), true);
    if (!command || ["submit", "help", "absent"].includes(command.do)) return;
    event.preventDefault();
    if (!event.repeat || repeats(command)) run(command);
  };
  place.addEventListener("keydown", key);
  const stop = store.subscribe((now, before) => {
    if (now.marks !== before.marks) onChange(sorted(now.marks));
  });
  place.replaceChildren();
  render(<MarksEditor desk={desk} initial={store.get()} phrase={phrase} run={run} focus={() => focusPicture(place)} />, place);
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
  desk: Desk;
  initial: Marking;
  phrase: string;
  run: (command: Command) => void;
  focus: () => void;
}

function MarksEditor({ desk, initial, phrase, run, focus }: Props) {
  const [marking, setMarking] = useState(initial);
  const picture = useRef<Picture | null>(null);
  useLayoutEffect(() => desk.subscribe((now) => now && setMarking(now)), [desk]);
  return (
    <div class="voxels is-editor" data-voxels>
      <header class="voxels-head">
        <h2 class="phrase" dir="auto">
          Mark: <em data-phrase>{phrase}</em>
        </h2>
      </header>
      <Stage
        desk={desk}
        isLooking={false}
        label="The scene: original and working copy"
        run={run}
        onPicture={(found) => {
          picture.current = found;
        }}
      />
      <div class="dock">
        <Tools desk={desk} marking={marking} run={run} />
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
          <Marks desk={desk} marking={marking} onLook={(cells) => picture.current?.lookAt(cells)} onGone={focus} />
          <Cut desk={desk} marking={marking} />
          <Legend marking={marking} />
        </div>
      </aside>
      <Aloud marking={marking} />
    </div>
  );
}
