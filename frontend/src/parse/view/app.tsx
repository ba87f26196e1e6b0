/** The whole page of the parse tool, put together. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { KeysDialog, ReportDialog } from "../../shared/view/dialogs";
import { Screen } from "../../shared/view/screen";
import { Starting } from "../../shared/view/starting";
import { Status } from "../../shared/view/status";
import type { ReportKind } from "../../shared/work";
import { remarkOf, THING } from "../copy";
import { KEY_HELP } from "../keys";
import { said, type Runs } from "../spans";
import { asked, given, optionsOf, type ParseState } from "../state";
import { Expert } from "./expert";
import { ViewContext, type Page } from "./page";
import { Step } from "./step";

/** Gives its children the present state, again whenever it changes. */
export function Live({ page, children }: { page: Page; children: (state: ParseState) => ComponentChildren }) {
  const [state, setState] = useState(page.store.get());
  useLayoutEffect(() => {
    setState(page.store.get());
    return page.store.subscribe((now) => setState(now));
  }, [page]);
  return <ViewContext.Provider value={{ page, state }}>{children(state)}</ViewContext.Provider>;
}

const PROBLEMS: readonly (readonly [ReportKind, string])[] = [
  ["instruction_unclear", "I do not understand the command"],
  ["ambiguous", "It could mean more than one thing"],
  ["other", "Something else"],
];

export function App({ page }: { page: Page }) {
  const { dispatch } = page.store;
  const closeDialog = (): void => dispatch({ type: "dialog", dialog: null });
  return (
    <Live page={page}>
      {(state) => {
        const { screen, dialog, task } = state;
        return (
          <>
            {screen.is === "starting" && <Starting remark={remarkOf(state)} thing={THING} />}
            {screen.is === "judging" && task && (task.payload.node ? <Step key={task.assignment} payload={task.payload} /> : <Expert key={task.assignment} payload={task.payload} />)}
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
                    dispatch(task?.payload.node ? { type: "next" } : { type: "give_form", isSound: true });
                  },
                }}
              />
            )}
            <p class="sr-only" role="status">
              {remarkOf(state)}
            </p>
            {dialog === "keys" && <KeysDialog help={KEY_HELP} keysOn={state.keysOn} onKeys={(on) => dispatch({ type: "keys", on })} onClose={closeDialog} />}
            {dialog === "report" && (
              <ReportDialog
                ask="What is wrong with this command?"
                problems={PROBLEMS}
                after="You then go on with the next command, and this one does not come back to you."
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

/** The answers of a lost task, to read and to copy; null where there are none. */
function answerWords({ task, answers, form }: ParseState): ComponentChildren {
  if (!task) return null;
  const { payload } = task;
  if (!payload.node) return form ? <pre>{JSON.stringify(form, null, 2)}</pre> : null;
  const kept = given(payload, answers);
  const lines = asked(payload, answers).flatMap((question) => {
    const value = kept[question.id];
    if (value === undefined) return [];
    const label = (one: string): string => optionsOf(question).find((option) => option.value === one)?.label ?? one;
    const words =
      question.kind === "spans" ? said(payload.tokens, value as Runs)
      : typeof value === "boolean" ? (value ? "Yes" : "No")
      : typeof value === "string" ? label(value)
      : (value as readonly string[]).map(label).join(", ");
    return [
      <p key={question.id} dir="auto">
        {question.ask} <b>{words}</b>
      </p>,
    ];
  });
  return lines.length ? lines : null;
}

export function Header({ page, serverNow }: { page: Page; serverNow: () => number }) {
  return (
    <Live page={page}>
      {(state) => <Status course={state} quiz={page.quiz} serverNow={serverNow} onKeys={() => page.run({ do: "help" })} onInstructions={page.openInstructions} />}
    </Live>
  );
}
