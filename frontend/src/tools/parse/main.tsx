/** Starts the parse tool on the page that the server made. */

import "../../styles/tools/parse.css";
import { workApi } from "../../work/api";
import { mountTool } from "../../work/mount";
import { toggleKeys } from "../../work/progress";
import { browserStorage } from "../../work/storage";
import { COACH } from "./coach";
import { commandOf, type Command } from "./keys";
import type { Answer, Checked, Claim, Draft } from "./payload";
import { quizApi, quizOf } from "./quiz";
import { Session } from "./session";
import { current, initialState, reduce } from "./state";
import { App } from "./view/app";
import { focusQuestion } from "./view/focus";
import { Live, type Page } from "./view/page";

mountTool({
  name: "parse",
  reduce,
  initialState,
  quizOf,
  create: (base, { client, storage, data, handIn }) => {
    const { store, quiz } = base;
    const { dispatch } = store;
    // A quiz keeps its steps for this tab alone.
    const api = quiz
      ? quizApi(
          quiz,
          client,
          browserStorage(`quiz:${quiz.key}`, () => window.sessionStorage),
          handIn,
        )
      : workApi<Claim, Answer, Draft>(client);
    const session = new Session(api, store, storage, focusQuestion);
    const run = (command: Command): void => {
      if (command.do === "help") return toggleKeys(store);
      // The page of experts has text fields.
      if (!store.get().task?.payload.node) return;
      switch (command.do) {
        case "pick":
          return dispatch({ type: "pick", index: command.index });
        case "word":
          return dispatch({ type: "word", index: command.index, goesOn: command.goesOn });
        case "say":
          return dispatch({ type: "say", yes: command.yes });
        case "unknown":
          return quiz ? undefined : dispatch({ type: "way", way: "unknown" });
        default:
          return dispatch({ type: command.do });
      }
    };
    const page: Page = {
      ...base,
      run,
      session,
      check: async (text, form) => (await client.send("POST", "parse/check/", { text, form })).body as Checked,
      schemaUrl: data.schema ?? "/api/v1/logical_form.schema.json?spellings=current",
    };
    return {
      page,
      Live,
      app: <App page={page} />,
      serverNow: () => api.serverNow(),
      lookAgain: () => void session.lookAgain(),
      focusTask: focusQuestion,
      commandOf: (event, focus): Command | null => {
        if (!store.get().keysOn) return null;
        // On a word or an option Enter goes on; Space marks or picks it.
        const isPart = event.target instanceof Element && event.target.closest("[data-enter-next]") !== null;
        return commandOf(event, isPart ? "other" : focus, current(store.get())?.kind === "spans");
      },
      mayRepeat: () => false,
      run,
      coach: COACH,
      start: () => void session.start(),
    };
  },
});
