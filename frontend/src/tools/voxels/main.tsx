/** Starts the voxel tool on the page that the server made. */

import "../../styles/tools/voxels.css";
import { workApi } from "../../work/api";
import { mountTool } from "../../work/mount";
import { toggleKeys } from "../../work/progress";
import { coachFor } from "./coach";
import { leavesPicture, runner } from "./commands";
import { commandOf, isLetter, repeats, type Command } from "./keys";
import { sliceOfPage } from "./marking/store_slice";
import { isTool } from "./marking/tools";
import type { Answer, Claim, Draft } from "./payload";
import { quizApi, quizOf } from "./quiz";
import { Session } from "./session";
import { initialState, isNaming, reduce } from "./state";
import { App } from "./view/app";
import { Live, type Page } from "./view/page";
import { focusName, focusPicture, focusPlane } from "./view/places";

mountTool({
  name: "voxels",
  reduce,
  initialState,
  quizOf,
  create: (base, { client, storage, handIn }) => {
    const { store, quiz } = base;
    const { dispatch } = store;
    const api = quiz ? quizApi(quiz, handIn, () => location.reload()) : workApi<Claim, Answer, Draft>(client);
    // The picture of a new scene is in the page only after the next frame.
    const focusTask = (): void =>
      queueMicrotask(() =>
        requestAnimationFrame(() => {
          const { task } = store.get();
          if (task && isNaming(task.payload)) focusName();
          else focusPicture();
        }),
      );
    const slice = sliceOfPage(store);
    const run = runner(slice, {
      submit: () => dispatch({ type: "done" }),
      help: () => toggleKeys(store),
      absent: () => {
        const { task } = store.get();
        if (task) dispatch(isNaming(task.payload) ? { type: "nothing" } : { type: "mark", action: { type: "absent" } });
      },
      openPlane: focusPlane,
      focusPicture,
    });
    const chosen = storage.read<unknown>("tool");
    if (isTool(chosen)) dispatch({ type: "choose", tool: chosen });
    const session = new Session(api, store, storage, focusTask);
    const page: Page = { ...base, slice, run, session };
    return {
      page,
      Live,
      app: <App page={page} />,
      serverNow: () => api.serverNow(),
      lookAgain: () => void session.lookAgain(),
      focusTask,
      commandOf: (event, focus): Command | null => {
        const { task, marking, keysOn } = store.get();
        const names = task !== null && isNaming(task.payload);
        // In naming a letter belongs to the name, wherever the focus is.
        if (names && focus === "other" && isLetter(event)) focusName();
        const command = commandOf(event, focus, keysOn && !names);
        if (command && leavesPicture(marking, command)) return null;
        // While there is no task, the browser keeps its keys.
        return command && (store.get().screen.is === "judging" || command.do === "help") ? command : null;
      },
      onChange: (now, before) => {
        if (now.chosen !== before.chosen) storage.write("tool", now.chosen);
      },
      mayRepeat: repeats,
      run,
      coach: coachFor(quiz !== null && isNaming(quiz.payload)),
      start: () => void session.start(),
    };
  },
});
