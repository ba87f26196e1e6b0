/** The whole page of the voxel tool. */

import type { ComponentChildren } from "preact";
import { ToolDialogs } from "../../../work/view/dialogs";
import { Screen } from "../../../work/view/screen";
import { Starting } from "../../../work/view/starting";
import { lineOf, REPORT, TASK_NOUN } from "../texts";
import { KEY_HELP, LOOK_HELP } from "../keys";
import { answerOf, isNaming, type VoxelState } from "../state";
import { TaskView } from "./task";
import { Live, type Page } from "./page";

export function App({ page }: { page: Page }) {
  const { dispatch } = page.store;
  return (
    <Live page={page}>
      {({ state }) => {
        const { screen, task, marking } = state;
        return (
          <>
            {screen.is === "starting" && <Starting remark={lineOf(state)} noun={TASK_NOUN} />}
            {screen.is === "judging" && task && marking && <TaskView task={task} marking={marking} />}
            {screen.is !== "starting" && screen.is !== "judging" && (
              <Screen
                page={page}
                progress={state}
                noun={TASK_NOUN}
                answer={answerWords(state)}
                onSendAnyway={() => {
                  dispatch({ type: "screen", screen: { is: "judging" } });
                  dispatch({ type: "done" });
                }}
              />
            )}
            <p class="sr-only" role="status">
              {lineOf(state)}
            </p>
            <ToolDialogs
              page={page}
              progress={state}
              help={task && isNaming(task.payload) ? LOOK_HELP : KEY_HELP}
              report={REPORT}
            />
          </>
        );
      }}
    </Live>
  );
}

/** The answer of a lost task, to read and to copy; null if there is none. */
function answerWords(state: VoxelState): ComponentChildren {
  const answer = answerOf(state);
  if (!answer) return null;
  if ("phrase" in answer) return <p dir="auto">{answer.phrase}</p>;
  if (!("voxels" in answer)) return <p>It is not there.</p>;
  return <p class="screen-voxels">{answer.voxels.map((cell) => cell.join(",")).join(" ")}</p>;
}
