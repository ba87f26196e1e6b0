/** Starts the marker on the page that the server made. */

import "../../styles/tools/marker.css";
import { workApi } from "../../work/api";
import { mountTool } from "../../work/mount";
import { COACH } from "./coach";
import { runner } from "./commands";
import { commandOf, type Command } from "./keys";
import type { Answer, Claim, Draft } from "./payload";
import { quizApi, quizOf } from "./quiz";
import { Session } from "./session";
import { initialState, reduce } from "./state";
import { Surface } from "./surface";
import { App, type Parts } from "./view/app";
import { Live, type Page } from "./view/page";

mountTool({
  name: "marker",
  reduce,
  initialState,
  quizOf,
  create: (base, { client, storage, handIn }) => {
    const { store, quiz } = base;
    const api = quiz ? quizApi(quiz, handIn, () => location.reload()) : workApi<Claim, Answer, Draft>(client);
    let region: HTMLElement | null = null;
    const focusTask = (): void => {
      if (!document.querySelector("dialog[open]")) region?.focus({ preventScroll: true });
    };
    const page: Page = { ...base, run: runner(store, () => page.session), session: null };
    // The session needs the canvas and the place of the decoders, so it starts when they are in the page.
    const onParts = ({ root, canvas, decoders, region: player }: Parts): void => {
      region = player;
      page.session = new Session(api, store, new Surface(canvas, root), decoders, storage, focusTask);
      void page.session.start();
    };
    return {
      page,
      Live,
      app: <App page={page} onParts={onParts} />,
      serverNow: () => api.serverNow(),
      lookAgain: () => void page.session?.lookAgain(),
      focusTask,
      commandOf: (event, focus): Command | null => (store.get().keysOn ? commandOf(event, focus) : null),
      // A held key moves on, but decides only once.
      mayRepeat: (command) => command.do === "step" || command.do === "jump",
      run: page.run,
      coach: COACH,
    };
  },
});
