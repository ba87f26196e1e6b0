/** The whole page of the parse tool. */

import type { ComponentChildren } from "preact";
import { ToolDialogs } from "../../../work/view/dialogs";
import { Screen } from "../../../work/view/screen";
import { Starting } from "../../../work/view/starting";
import { remarkOf, REPORT, TASK_NOUN } from "../texts";
import { KEY_HELP } from "../keys";
import { said, type Runs } from "../spans";
import { asked, given, optionsOf, type ParseState } from "../state";
import { Expert } from "./expert";
import { Live, type Page } from "./page";
import { Step } from "./step";

export function App({ page }: { page: Page }) {
  const { dispatch } = page.store;
  return (
    <Live page={page}>
      {({ state }) => {
        const { screen, task } = state;
        return (
          <>
            {screen.is === "starting" && <Starting remark={remarkOf(state)} noun={TASK_NOUN} />}
            {screen.is === "judging" &&
              task &&
              (task.payload.node ? (
                <Step key={task.assignment} payload={task.payload} />
              ) : (
                <Expert key={task.assignment} payload={task.payload} />
              ))}
            {screen.is !== "starting" && screen.is !== "judging" && (
              <Screen
                page={page}
                progress={state}
                noun={TASK_NOUN}
                answer={answerWords(state)}
                onSendAnyway={() => {
                  dispatch({ type: "screen", screen: { is: "judging" } });
                  dispatch(task?.payload.node ? { type: "next" } : { type: "give_form", isSound: true });
                }}
              />
            )}
            <p class="sr-only" role="status">
              {remarkOf(state)}
            </p>
            <ToolDialogs page={page} progress={state} help={KEY_HELP} report={REPORT} />
          </>
        );
      }}
    </Live>
  );
}

/** The answers of a lost task, to read and to copy; null if there are none. */
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
      question.kind === "spans"
        ? said(payload.tokens, value as Runs)
        : typeof value === "boolean"
          ? value
            ? "Yes"
            : "No"
          : typeof value === "string"
            ? label(value)
            : (value as readonly string[]).map(label).join(", ");
    return [
      <p key={question.id} dir="auto">
        {question.ask} <b>{words}</b>
      </p>,
    ];
  });
  return lines.length ? lines : null;
}
