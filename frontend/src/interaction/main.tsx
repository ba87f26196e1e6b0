/** Starts the live session on the page that the server drew. */

import "../styles/interaction.css";
import { render } from "preact";
import { focusOf } from "../shared/focus";
import { openLine } from "../shared/http";
import { mountInstructions } from "../shared/instructions";
import { keepUnder } from "../shared/storage";
import { createStore } from "../shared/store";
import { workApi } from "../shared/work";
import { besides } from "./blocks";
import { commandOf, type Command } from "./keys";
import type { Answer, Claim, Draft } from "./payload";
import { Session } from "./session";
import { backed, chosen, initialState, reduce } from "./state";
import { App, Live } from "./view/app";
import { Header } from "./view/header";
import type { Page } from "./view/page";
import { focusTalk, isFree, isInWorld } from "./view/places";

function start(place: HTMLElement): void {
  const { api: base = "/api/v1/work/", token = "", storageKey = "crosswalk" } = place.dataset;
  const keep = keepUnder(storageKey);
  const store = createStore(reduce, initialState(keep.read<boolean>("keys") ?? true));
  const { dispatch } = store;
  // What is shown is put into the page in a microtask; after that there is something to focus. Not with the next frame:
  // where the picture is slow, that may be long after the next key.
  const focusTask = (): void => queueMicrotask(() => queueMicrotask(focusTalk));

  const dialog = document.querySelector<HTMLDialogElement>("dialog[data-instructions]");
  const instructions = dialog && mountInstructions(dialog, keep, focusTask);
  const api = workApi<Claim, Answer, Draft>(openLine(base, token));
  const session = new Session(api, store, keep, { token, focusTask, ofTab: keepUnder(storageKey, () => window.sessionStorage) });

  const page: Page = {
    store,
    session,
    openInstructions: () => instructions?.open(),
    instructionPages: () => [...(dialog?.querySelectorAll<HTMLElement>("[data-page]") ?? [])],
    choose: (choice) => {
      const message = chosen(store.get(), choice);
      if (message === "words") dispatch({ type: "choose_words", choice });
      else if (message) session.send(message);
    },
    back: () => {
      const state = store.get();
      if (state.writing) {
        dispatch({ type: "choose_words", choice: null });
        return focusTask();
      }
      const message = backed(state);
      if (message) session.send(message);
    },
    help: () => dispatch({ type: "dialog", dialog: store.get().dialog === "keys" ? null : "keys" }),
    appealUrl: place.dataset.appealUrl || null,
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
        return dispatch({ type: "block", id: besides(task?.payload.blocks ?? [], block, command.by) });
      }
    }
  };

  store.subscribe((now, before) => {
    if (now.keysOn !== before.keysOn) keep.write("keys", now.keysOn);
    // A closed dialog, and the way back from the last page, give the focus back to the talk.
    if ((before.dialog && !now.dialog) || (before.isLeaving && !now.isLeaving) || (before.isLast && !now.isLast)) return focusTask();
    const [is, was] = [now.live, before.live];
    const isOtherCard = is.question?.node !== was.question?.node || is.question?.command !== was.question?.command || is.ask?.question !== was.ask?.question || is.phase !== was.phase;
    // The page that stood in place of the world is gone, and with it what had the focus.
    if (is.closedBy === null && was.closedBy !== null) return focusTask();
    // What is asked gets the focus, and when nothing is, the field; but nobody is pulled out of the world.
    if (isOtherCard && isFree()) focusTask();
  });
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const { target } = event;
    const focus = focusOf(target);
    const isWriting = focus === "text" && !(target instanceof HTMLInputElement && target.readOnly);
    const state = store.get();
    const command = commandOf(event, focus, isWriting, isInWorld(), state.keysOn);
    if (!command || state.screen.is !== "judging" || state.isLast) return;
    event.preventDefault();
    if (!event.repeat || command.do === "block") run(command);
  });

  place.replaceChildren();
  render(<App page={page} />, place);
  const status = document.querySelector("[data-work-status]");
  if (status) render(<Live page={page}>{() => <Header />}</Live>, status);
  void session.start();
}

const place = document.querySelector<HTMLElement>("[data-interaction-app]");
if (place) start(place);
