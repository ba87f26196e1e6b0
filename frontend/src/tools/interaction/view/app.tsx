/** The whole page of the live session, put together. */

import { ToolDialogs } from "../../../work/view/dialogs";
import { Remark } from "../../../work/view/remark";
import { Screen } from "../../../work/view/screen";
import { Starting } from "../../../work/view/starting";
import { remarkOf, TASK_NOUN } from "../texts";
import { KEY_HELP } from "../keys";
import { Closed, Ended } from "./ended_page";
import { ReflectionPage } from "./reflection_page";
import { Leaving } from "./leaving";
import { Live, useView, type Page } from "./page";
import { Layout } from "./layout";

export function App({ page }: { page: Page }) {
  return (
    <Live page={page}>
      {({ state }) => (
        <>
          {state.screen.is === "starting" && <Starting remark={remarkOf(state)} noun={TASK_NOUN} />}
          {state.screen.is === "judging" && <SessionPage />}
          {state.screen.is !== "starting" && state.screen.is !== "judging" && (
            <Screen
              page={page}
              progress={state}
              noun={TASK_NOUN}
              answer={null}
              onSendAnyway={() => void page.session.takeNew()}
            />
          )}
          <ToolDialogs page={page} progress={state} help={KEY_HELP} />
          {state.isLeaving && <Leaving />}
          <div class="sr-only" role="log" aria-live="polite" aria-label="What happens">
            {state.live.announced.map(({ key, text }) => (
              <p key={key}>{text}</p>
            ))}
          </div>
        </>
      )}
    </Live>
  );
}

/** The current session: running, on its last page, or over. The world stays in the page behind the last page. */
function SessionPage() {
  const { page, state } = useView();
  const { live, isReflecting, task } = state;
  if (!task) return null;
  if (live.phase === "ended") return <Ended />;
  const isShut = live.closedBy !== null;
  return (
    <>
      <Remark
        workStatus={state.workStatus}
        onInstructions={page.openInstructions}
        onClose={() => void page.session.closeNotice()}
      />
      {isShut && <Closed code={live.closedBy as number} />}
      {isReflecting && !isShut && <ReflectionPage />}
      <Layout key={task.assignment} isHidden={isReflecting || isShut} />
    </>
  );
}
