/** The whole page of the voxel tool, put together. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { KeysDialog, ReportDialog } from "../../shared/view/dialogs";
import { Screen } from "../../shared/view/screen";
import { Starting } from "../../shared/view/starting";
import { Status } from "../../shared/view/status";
import type { ReportKind } from "../../shared/work";
import { lineOf, THING } from "../copy";
import { KEY_HELP, LOOK_HELP } from "../keys";
import { answerOf, isNaming, type VoxelState } from "../state";
import { Bench } from "./bench";
import { ViewContext, type Page } from "./page";

/** Gives its children the present state, again whenever it changes. */
export function Live({ page, children }: { page: Page; children: (state: VoxelState) => ComponentChildren }) {
  const [state, setState] = useState(page.store.get());
  useLayoutEffect(() => {
    setState(page.store.get());
    return page.store.subscribe((now) => setState(now));
  }, [page]);
  return <ViewContext.Provider value={{ page, state }}>{children(state)}</ViewContext.Provider>;
}

const PROBLEMS: readonly (readonly [ReportKind, string])[] = [
  ["instruction_unclear", "I do not understand what is asked"],
  ["ambiguous", "It could mean more than one thing"],
  ["other", "Something else"],
];

export function App({ page }: { page: Page }) {
  const { dispatch } = page.store;
  const closeDialog = (): void => dispatch({ type: "dialog", dialog: null });
  return (
    <Live page={page}>
      {(state) => {
        const { screen, dialog, task, marking } = state;
        return (
          <>
            {screen.is === "starting" && <Starting remark={lineOf(state)} thing={THING} />}
            {screen.is === "judging" && task && marking && <Bench task={task} marking={marking} />}
            {screen.is !== "starting" && screen.is !== "judging" && (
              <Screen
                screen={screen}
                standing={state.standing}
                thing={THING}
                appealUrl={page.appealUrl}
                answer={answerWords(state)}
                on={{
                  again: () => void page.session.start(),
                  new: () => void page.session.takeNew(),
                  instructions: page.openInstructions,
                  report: () => void page.session.report("other", ""),
                  anyway: () => {
                    dispatch({ type: "screen", screen: { is: "judging" } });
                    dispatch({ type: "done" });
                  },
                }}
              />
            )}
            <p class="sr-only" role="status">
              {lineOf(state)}
            </p>
            {dialog === "keys" && (
              <KeysDialog help={task && isNaming(task.payload) ? LOOK_HELP : KEY_HELP} keysOn={state.keysOn} onKeys={(on) => dispatch({ type: "keys", on })} onClose={closeDialog} />
            )}
            {dialog === "report" && (
              <ReportDialog
                ask="What is wrong with this scene?"
                problems={PROBLEMS}
                after="You then go on with the next scene, and this one does not come back to you."
                onReport={(problem, text) => void page.session.report(problem, text)}
                onClose={closeDialog}
              />
            )}
          </>
        );
      }}
    </Live>
  );
}

/** The answer of a lost task, to read and to copy; null where there is none. */
function answerWords(state: VoxelState): ComponentChildren {
  const answer = answerOf(state);
  if (!answer) return null;
  if ("phrase" in answer) return <p dir="auto">{answer.phrase}</p>;
  if (!("voxels" in answer)) return <p>It is not there.</p>;
  return <p class="screen-voxels">{answer.voxels.map((cell) => cell.join(",")).join(" ")}</p>;
}

export function Header({ page, serverNow }: { page: Page; serverNow: () => number }) {
  return (
    <Live page={page}>
      {(state) => <Status course={state} quiz={page.quiz} serverNow={serverNow} onKeys={() => page.run({ do: "help" })} onInstructions={page.openInstructions} />}
    </Live>
  );
}
