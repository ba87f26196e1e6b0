/** The list of keys and the report form, with the marker's words. */

import { KeysDialog as AnyKeysDialog, ReportDialog as AnyReportDialog } from "../../shared/view/dialogs";
import type { ReportKind } from "../api";
import { KEY_HELP } from "../keys";
import { useView } from "./page";

export function KeysDialog() {
  const { page, state } = useView();
  const { dispatch } = page.store;
  return <AnyKeysDialog help={KEY_HELP} keysOn={state.keysOn} onKeys={(on) => dispatch({ type: "keys", on })} onClose={() => dispatch({ type: "dialog", dialog: null })} />;
}

const PROBLEMS: readonly (readonly [ReportKind, string])[] = [
  ["video_broken", "The video does not play or is damaged"],
  ["instruction_unclear", "I do not understand what was asked"],
  ["ambiguous", "It could be judged either way"],
  ["other", "Something else"],
];

export function ReportDialog() {
  const { page } = useView();
  return (
    <AnyReportDialog
      ask="What is wrong with this video?"
      problems={PROBLEMS}
      after="You then go on with the next video, and this one does not come back to you."
      onReport={(problem, text) => void page.session?.report(problem, text)}
      onClose={() => page.store.dispatch({ type: "dialog", dialog: null })}
    />
  );
}
