/** The list of keys and the report form, as native dialogs. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ReportKind } from "../api";
import type { ProgressAction, WorkProgress } from "../progress";
import { KeyList, type KeysHelp } from "./key_list";

export function Modal({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
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

export interface ToolDialogsProps {
  page: {
    store: { dispatch(action: ProgressAction): void };
    session: { report(problem: ReportKind, text: string): Promise<void> } | null;
  };
  progress: Pick<WorkProgress<unknown>, "dialog" | "keysOn" | "workStatus">;
  help: KeysHelp;
  /** Missing where tasks cannot be reported. */
  report?: ReportTexts;
}

const AGAIN_HELP = ["W", "look at the last one again, or leave it"] as const;

/** The open dialog of a tool. */
export function ToolDialogs({ page, progress: { dialog, keysOn, workStatus }, help, report }: ToolDialogsProps) {
  const { dispatch } = page.store;
  const onClose = (): void => dispatch({ type: "dialog", dialog: null });
  if (dialog === "keys")
    return (
      <KeysDialog
        help={workStatus?.grace_s ? [...help, AGAIN_HELP] : help}
        keysOn={keysOn}
        onKeys={(on) => dispatch({ type: "keys", on })}
        onClose={onClose}
      />
    );
  if (dialog !== "report" || !report) return null;
  return (
    <ReportDialog
      {...report}
      onReport={(problem, text) => void page.session?.report(problem, text)}
      onClose={onClose}
    />
  );
}

interface KeysProps {
  help: KeysHelp;
  keysOn: boolean;
  onKeys: (on: boolean) => void;
  onClose: () => void;
}

function KeysDialog({ help, keysOn, onKeys, onClose }: KeysProps) {
  return (
    <Modal title="Keys" onClose={onClose}>
      <KeyList help={help} />
      <label class="check">
        <input type="checkbox" checked={keysOn} onChange={(event) => onKeys(event.currentTarget.checked)} /> Use these
        keys
      </label>
      <div class="row row-end">
        <button type="button" class="btn btn-primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Modal>
  );
}

export interface ReportTexts {
  /** `What is wrong with this video?` */
  ask: string;
  problems: readonly (readonly [ReportKind, string])[];
  /** A sentence on what happens to the task after the report. */
  after: string;
}

interface ReportProps extends ReportTexts {
  onReport: (problem: ReportKind, text: string) => void;
  onClose: () => void;
}

function ReportDialog({ ask, problems, after, onReport, onClose }: ReportProps) {
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
              <input
                type="radio"
                name="problem"
                required
                checked={problem === kind}
                onChange={() => setProblem(kind)}
              />{" "}
              {words}
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
