/** Starts the live session on the page that the server made. */

import "../../styles/tools/interaction.css";
import { workApi } from "../../work/api";
import { mountTool } from "../../work/mount";
import { toggleKeys } from "../../work/progress";
import { browserStorage } from "../../work/storage";
import { neighbourOf } from "./blocks";
import { commandOf, type Command } from "./keys";
import type { Answer, Claim, Draft } from "./payload";
import { Session } from "./session";
import { backMessage, choiceMessage, initialState, reduce, type InteractionState } from "./state";
import { App } from "./view/app";
import { Header } from "./view/header";
import { Live, type Page } from "./view/page";
import { focusTalk, isFree, isInWorld } from "./view/places";

mountTool({
  name: "interaction",
  reduce,
  initialState,
  create: (base, { client, token, storage, storageKey, instructionPages }) => {
    const { store } = base;
    const { dispatch } = store;
    // New content is in the page after a microtask, and can be focused only then. The next frame would be too late:
    // with a slow picture it may come long after the next key.
    const focusTask = (): void => queueMicrotask(() => queueMicrotask(focusTalk));
    const api = workApi<Claim, Answer, Draft>(client);
    const ofTab = browserStorage(storageKey, () => window.sessionStorage);
    const session = new Session(api, store, storage, { token, focusTask, ofTab });
    const page: Page = {
      ...base,
      session,
      instructionPages,
      choose: (choice) => {
        const message = choiceMessage(store.get(), choice);
        if (message === "words") dispatch({ type: "choose_words", choice });
        else if (message) session.send(message);
      },
      back: () => {
        const state = store.get();
        if (state.writing) {
          dispatch({ type: "choose_words", choice: null });
          return focusTask();
        }
        const message = backMessage(state);
        if (message) session.send(message);
      },
      help: () => toggleKeys(store),
    };
    const run = (command: Command): void => {
      switch (command.do) {
        case "choose":
          return page.choose(command.choice);
        case "back":
          return page.back();
        case "help":
          return page.help();
        case "block": {
          const { task, block } = store.get();
          return dispatch({ type: "block", id: neighbourOf(task?.payload.blocks ?? [], block, command.by) });
        }
      }
    };
    return {
      page,
      Live,
      app: <App page={page} />,
      header: <Header />,
      serverNow: () => api.serverNow(),
      focusTask,
      commandOf: (event, focus): Command | null => {
        const { target } = event;
        const isWriting = focus === "text" && !(target instanceof HTMLInputElement && target.readOnly);
        const state = store.get();
        const command = commandOf(event, focus, isWriting, isInWorld(), state.keysOn);
        return state.screen.is === "judging" && !state.isReflecting ? command : null;
      },
      mayRepeat: (command) => command.do === "block",
      run,
      onChange: (now, before) => {
        if (movesFocus(now, before)) focusTask();
      },
      start: () => void session.start(),
    };
  },
});

/** Whether the change moves the focus. */
function movesFocus(now: InteractionState, before: InteractionState): boolean {
  if ((before.isLeaving && !now.isLeaving) || (before.isReflecting && !now.isReflecting)) return true;
  const [is, was] = [now.live, before.live];
  // The page that covered the world is gone, and the focus was in it.
  if (is.closedBy === null && was.closedBy !== null) return true;
  const isOtherCard =
    is.question?.node !== was.question?.node ||
    is.question?.command !== was.question?.command ||
    is.ask?.question !== was.ask?.question ||
    is.phase !== was.phase;
  // A new question gets the focus, otherwise the text field. A worker who is in the world keeps the focus there.
  return isOtherCard && isFree();
}
