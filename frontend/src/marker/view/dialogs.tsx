/** The list of keys and the report form, each in a native dialog. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ReportKind } from "../api";
import { KEY_HELP } from "../keys";
import { useView } from "./page";

function Modal({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog class="dialog" ref={dialog} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}

export function KeysDialog() {
  const { page, state } = useView();
  const close = (): void => page.store.dispatch({ type: "dialog", dialog: null });
  return (
    <Modal title="Keys" onClose={close}>
      <dl class="keys">
        {KEY_HELP.map(([keys, does]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={state.keysOn} onChange={(event) => page.store.dispatch({ type: "keys", on: event.currentTarget.checked })} /> Use these keys
      </label>
      <div class="row row-end">
        <button type="button" class="btn btn-primary" onClick={close}>
          Close
        </button>
      </div>
    </Modal>
  );
}

const PROBLEMS: readonly (readonly [ReportKind, string])[] = [
  ["video_broken", "The video does not play or is damaged"],
  ["instruction_unclear", "I do not understand what was asked"],
  ["ambiguous", "It could be judged either way"],
  ["other", "Something else"],
];

export function ReportDialog() {
  const { page } = useView();
  const [problem, setProblem] = useState<ReportKind | null>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  const close = (): void => page.store.dispatch({ type: "dialog", dialog: null });
  const send = (event: Event): void => {
    event.preventDefault();
    if (!problem) return;
    const said = text.current?.value.trim() ?? "";
    close();
    void page.session?.report(problem, said);
  };
  return (
    <Modal title="Report a problem" onClose={close}>
      <form onSubmit={send} class="form">
        <fieldset>
          <legend>What is wrong with this video?</legend>
          {PROBLEMS.map(([kind, words]) => (
            <label class="check" key={kind}>
              <input type="radio" name="problem" required checked={problem === kind} onChange={() => setProblem(kind)} /> {words}
            </label>
          ))}
        </fieldset>
        <label class="field">
          <span>Anything to add? (optional)</span>
          <textarea ref={text} rows={3} maxLength={2000} />
        </label>
        <p class="muted">You then go on with the next video, and this one does not come back to you.</p>
        <div class="row row-end">
          <button type="button" class="btn" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="btn btn-primary">
            Send and go on
          </button>
        </div>
      </form>
    </Modal>
  );
}
