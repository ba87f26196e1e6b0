/** Starts the voxel tool on the page that the server drew. */

import "../styles/voxels.css";
import { render } from "preact";
import { focusOf } from "../shared/focus";
import { openLine } from "../shared/http";
import { mountInstructions } from "../shared/instructions";
import { handIn } from "../shared/quiz";
import { keepInMemory, keepUnder } from "../shared/storage";
import { createStore } from "../shared/store";
import { workApi } from "../shared/work";
import { runner } from "./commands";
import { deskOfPage } from "./desk";
import { commandOf, repeats } from "./keys";
import type { Answer, Claim, Draft } from "./payload";
import { quizApi, quizOf } from "./quiz";
import { Session } from "./session";
import { initialState, isNaming, reduce } from "./state";
import { App, Header } from "./view/app";
import type { Page } from "./view/page";
import { focusPicture, focusPlane } from "./view/places";

function start(place: HTMLElement): void {
  const { api: base = "/api/v1/work/", token = "", storageKey = "crosswalk" } = place.dataset;
  const quiz = quizOf(place.dataset);
  const keep = quiz ? keepInMemory() : keepUnder(storageKey);
  const api = quiz ? quizApi(quiz, handIn, () => location.reload()) : workApi<Claim, Answer, Draft>(openLine(base, token));
  // Whoever is at the questions has read the pages; they stay at hand.
  if (quiz) keep.write("instructions-read", true);
  const store = createStore(reduce, initialState(keep.read<boolean>("keys") ?? true));
  const { dispatch } = store;
  const desk = deskOfPage(store);
  // A scene is drawn in the same breath, but the page around it only then.
  const focusTask = (): void => queueMicrotask(() => requestAnimationFrame(() => focusPicture()));

  const dialog = document.querySelector<HTMLDialogElement>("dialog[data-instructions]");
  const instructions = dialog && mountInstructions(dialog, keep, focusTask);
  const run = runner(desk, {
    submit: () => dispatch({ type: "done" }),
    help: () => dispatch({ type: "dialog", dialog: store.get().dialog === "keys" ? null : "keys" }),
    absent: () => {
      const { task } = store.get();
      if (task) dispatch(isNaming(task.payload) ? { type: "nothing" } : { type: "mark", action: { type: "absent" } });
    },
    openPlane: focusPlane,
    focusPicture,
  });
  const page: Page = {
    store,
    desk,
    run,
    session: new Session(api, store, keep, focusTask),
    openInstructions: () => instructions?.open(),
    appealUrl: place.dataset.appealUrl || null,
    quiz,
  };

  store.subscribe((now, before) => {
    if (now.keysOn !== before.keysOn) keep.write("keys", now.keysOn);
    // A closed dialog gives the focus back to the work.
    if (before.dialog && !now.dialog) focusTask();
  });
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const command = commandOf(event, focusOf(event.target), store.get().keysOn);
    if (!command) return;
    // On a page with nothing at work, the browser keeps its keys.
    if (store.get().screen.is !== "judging" && command.do !== "help") return;
    event.preventDefault();
    if (!event.repeat || repeats(command)) run(command);
  });

  place.replaceChildren();
  render(<App page={page} />, place);
  const status = document.querySelector("[data-work-status]");
  if (status) render(<Header page={page} serverNow={() => api.serverNow()} />, status);
  void page.session.start();
}

const place = document.querySelector<HTMLElement>("[data-voxels-app]");
if (place) start(place);
