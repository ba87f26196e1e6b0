/** The reviewer's own mask, started from any other mask: an editor that writes into a field of the page's form. */

import { render } from "preact";
import { useRef, useState } from "preact/hooks";
import { mountEditor, type Editor } from "../../tools/voxels/editor";
import type { Scene } from "../../world/frame";
import { countWords } from "./layers_shown";
import type { Masks } from "./layers";
import { answerText, marksIn } from "./marks";

const EMPTY = "empty";
const KEPT = "kept";

/** Adds the button of the editor before the plain field of the page. */
export function offerDrawing(place: HTMLElement, scene: Scene, phrase: string, masks: Masks): void {
  const field = place.querySelector("textarea");
  if (!field) return;
  const root = document.createElement("div");
  place.prepend(root);
  const write = (marks: readonly number[]): void => {
    field.value = answerText(scene.size, marks);
    // The page listens for this event and selects the radio button beside the field.
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const writeAbsent = (): void => {
    field.value = JSON.stringify({ absent: true });
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const mayBeAbsent = "mayBeAbsent" in place.dataset;
  render(
    <Drawing
      scene={scene}
      phrase={phrase}
      masks={masks}
      kept={() => marksIn(scene.size, field.value)}
      write={write}
      {...(mayBeAbsent ? { writeAbsent } : {})}
    />,
    root,
  );
}

interface Props {
  scene: Scene;
  phrase: string;
  masks: Masks;
  kept: () => number[] | null;
  write: (marks: readonly number[]) => void;
  /** Only where the page has no other control for "it is not there". */
  writeAbsent?: () => void;
}

function Drawing({ scene, phrase, masks, kept, write, writeAbsent }: Props) {
  const starts = masks.layers.filter(({ mask }) => mask.size > 0);
  const hasKept = useRef(kept() !== null).current;
  const [from, setFrom] = useState(hasKept ? KEPT : (starts[0]?.id ?? EMPTY));
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const [said, setSaid] = useState("");
  const begin = (): void => {
    if (!place.current) return;
    const start = from === KEPT ? (kept() ?? []) : [...(starts.find(({ id }) => id === from)?.mask ?? [])];
    editor.current?.destroy();
    const changed = (marks: readonly number[]): void => {
      write(marks);
      setSaid(`${countWords(marks.length)} marked`);
    };
    editor.current = mountEditor(place.current, { scene, phrase, start, onChange: changed });
    changed(editor.current.marks());
    place.current.querySelector<HTMLElement>("[data-picture]")?.focus();
  };
  return (
    <div class="drawing">
      <div class="toolbar">
        <label class="field">
          <span>Begin with</span>
          <select value={from} onChange={(event) => setFrom(event.currentTarget.value)}>
            {hasKept && <option value={KEPT}>what is marked now</option>}
            {starts.map(({ id, name, mask }) => (
              <option key={id} value={id}>
                {name} ({mask.size.toLocaleString("en")})
              </option>
            ))}
            <option value={EMPTY}>nothing marked</option>
          </select>
        </label>
        <button type="button" class="btn" data-begin-drawing onClick={begin}>
          {said === "" ? "Mark it myself" : "Begin again"}
        </button>
        {writeAbsent && (
          <button
            type="button"
            class="btn"
            onClick={() => {
              editor.current?.destroy();
              editor.current = null;
              writeAbsent();
              setSaid("It is not there.");
            }}
          >
            It is not there
          </button>
        )}
        <span class="small" role="status">
          {said}
        </span>
      </div>
      <div ref={place} />
    </div>
  );
}
