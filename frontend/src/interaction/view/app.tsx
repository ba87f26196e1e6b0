/** The whole page of the live session, put together. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { KeysDialog } from "../../shared/view/dialogs";
import { Remark } from "../../shared/view/remark";
import { Screen } from "../../shared/view/screen";
import { Starting } from "../../shared/view/starting";
import { remarkOf, THING } from "../copy";
import { KEY_HELP } from "../keys";
import type { InteractionState } from "../state";
import { Closed, Ended } from "./ends";
import { Last } from "./last";
import { Leaving } from "./leaving";
import { useView, ViewContext, type Page } from "./page";
import { Room } from "./room";

/** Gives its children the present state, again whenever it changes. */
export function Live({ page, children }: { page: Page; children: (state: InteractionState) => ComponentChildren }) {
  const [state, setState] = useState(page.store.get());
  useLayoutEffect(() => {
    setState(page.store.get());
    return page.store.subscribe((now) => setState(now));
  }, [page]);
  return <ViewContext.Provider value={{ page, state }}>{children(state)}</ViewContext.Provider>;
}

export function App({ page }: { page: Page }) {
  const { dispatch } = page.store;
  return (
    <Live page={page}>
      {(state) => (
        <>
          {state.screen.is === "starting" && <Starting remark={remarkOf(state)} thing={THING} />}
          {state.screen.is === "judging" && <Sitting />}
          {state.screen.is !== "starting" && state.screen.is !== "judging" && (
            <Screen
              screen={state.screen}
              standing={state.standing}
              thing={THING}
              appealUrl={page.appealUrl}
              answer={null}
              on={{
                again: () => void page.session.start(),
                new: () => void page.session.takeNew(),
                instructions: page.openInstructions,
                report: () => void page.session.report("other", ""),
                anyway: () => void page.session.takeNew(),
              }}
            />
          )}
          {state.dialog === "keys" && (
            <KeysDialog help={KEY_HELP} keysOn={state.keysOn} onKeys={(on) => dispatch({ type: "keys", on })} onClose={() => dispatch({ type: "dialog", dialog: null })} />
          )}
          {state.isLeaving && <Leaving />}
          <div class="sr-only" role="log" aria-live="polite" aria-label="What happens">
            {state.live.aloud.map(({ key, text }) => (
              <p key={key}>{text}</p>
            ))}
          </div>
        </>
      )}
    </Live>
  );
}

/** A session at hand: at work, at its last page, or over. The world stays as it is behind the last page. */
function Sitting() {
  const { page, state } = useView();
  const { live, isLast, task } = state;
  if (!task) return null;
  if (live.phase === "ended") return <Ended />;
  const isShut = live.closedBy !== null;
  return (
    <>
      <Remark standing={state.standing} onInstructions={page.openInstructions} onClose={() => void page.session.closeNotice()} />
      {isShut && <Closed code={live.closedBy as number} />}
      {isLast && !isShut && <Last />}
      <Room key={task.assignment} isHidden={isLast || isShut} />
    </>
  );
}
