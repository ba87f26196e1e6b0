/** The list of keys and the report form, each in a native dialog. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ReportKind } from "../work";

export function Modal({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
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

export interface KeysProps {
  help: readonly (readonly [keys: string, does: string])[];
  keysOn: boolean;
  onKeys: (on: boolean) => void;
  onClose: () => void;
}

export function KeysDialog({ help, keysOn, onKeys, onClose }: KeysProps) {
  return (
    <Modal title="Keys" onClose={onClose}>
      <dl class="keys">
        {help.map(([keys, does]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={keysOn} onChange={(event) => onKeys(event.currentTarget.checked)} /> Use these keys
      </label>
      <div class="row row-end">
        <button type="button" class="btn btn-primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Modal>
  );
}

export interface ReportProps {
  /** `What is wrong with this video?` */
  ask: string;
  problems: readonly (readonly [ReportKind, string])[];
  /** What happens then. */
  after: string;
  onReport: (problem: ReportKind, text: string) => void;
  onClose: () => void;
}

export function ReportDialog({ ask, problems, after, onReport, onClose }: ReportProps) {
  const [problem, setProblem] = useState<ReportKind | null>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  const send = (event: Event): void => {
    event.preventDefault();
    if (!problem) return;
    const said = text.current?.value.trim() ?? "";
    onClose();
    onReport(problem, said);
  };
  return (
    <Modal title="Report a problem" onClose={onClose}>
      <form onSubmit={send} class="form">
        <fieldset>
          <legend>{ask}</legend>
          {problems.map(([kind, words]) => (
            <label class="check" key={kind}>
              <input type="radio" name="problem" required checked={problem === kind} onChange={() => setProblem(kind)} /> {words}
            </label>
          ))}
        </fieldset>
        <label class="field">
          <span>Anything to add? (optional)</span>
          <textarea ref={text} rows={3} maxLength={2000} />
        </label>
        <p class="muted">{after}</p>
        <div class="row row-end">
          <button type="button" class="btn" onClick={onClose}>
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
