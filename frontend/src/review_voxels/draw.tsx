/** Marks of a reviewer's own, begun from any mask: an editor over a field of the page's form, which it keeps in step. */

import { render } from "preact";
import { useRef, useState } from "preact/hooks";
import { mountEditor, type Editor } from "../voxels/editor";
import type { Scene } from "../world/frame";
import { countWords } from "./coats";
import type { Masks } from "./layers";
import { answerText, marksIn } from "./marks";

const EMPTY = "empty";
const KEPT = "kept";

/** Puts the editor's button into the place, before what it has without scripts. */
export function offerDrawing(place: HTMLElement, scene: Scene, phrase: string, masks: Masks): void {
  const field = place.querySelector("textarea");
  if (!field) return;
  const root = document.createElement("div");
  place.prepend(root);
  const write = (marks: readonly number[]): void => {
    field.value = answerText(scene.size, marks);
    // For whoever listens on the page: the radio button beside it.
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const writeAbsent = (): void => {
    field.value = JSON.stringify({ absent: true });
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const mayBeAbsent = "mayBeAbsent" in place.dataset;
  render(
    <Drawing scene={scene} phrase={phrase} masks={masks} kept={() => marksIn(scene.size, field.value)} write={write} {...(mayBeAbsent ? { writeAbsent } : {})} />,
    root,
  );
}

interface Props {
  scene: Scene;
  phrase: string;
  masks: Masks;
  kept: () => number[] | null;
  write: (marks: readonly number[]) => void;
  /** Where nothing else on the page says that the object is not there. */
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
