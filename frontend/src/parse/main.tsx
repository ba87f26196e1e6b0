/** Starts the parse tool on the page that the server drew. */

import "../styles/parse.css";
import { render } from "preact";
import { focusOf } from "../shared/focus";
import { openLine } from "../shared/http";
import { mountInstructions } from "../shared/instructions";
import { handIn } from "../shared/quiz";
import { keepInMemory, keepUnder } from "../shared/storage";
import { createStore } from "../shared/store";
import { workApi } from "../shared/work";
import { commandOf, type Command } from "./keys";
import type { Answer, Checked, Claim, Draft } from "./payload";
import { quizApi, quizOf } from "./quiz";
import { Session } from "./session";
import { initialState, reduce } from "./state";
import { App, Header } from "./view/app";
import { focusQuestion } from "./view/focus";
import type { Page } from "./view/page";

function start(place: HTMLElement): void {
  const { api: base = "/api/v1/work/", token = "", storageKey = "crosswalk", schema = "/api/v1/logical_form.schema.json?spellings=current" } = place.dataset;
  const quiz = quizOf(place.dataset);
  const keep = quiz ? keepInMemory() : keepUnder(storageKey);
  const line = openLine(base, token);
  const api = quiz ? quizApi(quiz, line, keepUnder(`quiz:${quiz.key}`, () => window.sessionStorage), handIn) : workApi<Claim, Answer, Draft>(line);
  // Whoever is at the questions has read the pages; they stay at hand.
  if (quiz) keep.write("instructions-read", true);
  const store = createStore(reduce, initialState(keep.read<boolean>("keys") ?? true));

  const session = new Session(api, store, keep, focusQuestion);
  const dialog = document.querySelector<HTMLDialogElement>("dialog[data-instructions]");
  const instructions = dialog && mountInstructions(dialog, keep, focusQuestion);
  const page: Page = {
    store,
    run,
    session,
    openInstructions: () => instructions?.open(),
    appealUrl: place.dataset.appealUrl || null,
    quiz,
    check: async (text, form) => (await line.send("POST", "parse/check/", { text, form })).body as Checked,
    schemaUrl: schema,
  };

  function run(command: Command): void {
    const { dispatch } = store;
    const { task, dialog: open } = store.get();
    if (command.do === "help") return dispatch({ type: "dialog", dialog: open === "keys" ? null : "keys" });
    // The expert's page has fields of its own.
    if (!task?.payload.node) return;
    switch (command.do) {
      case "pick":
        return dispatch({ type: "pick", index: command.index });
      case "say":
        return dispatch({ type: "say", yes: command.yes });
      case "unknown":
        return quiz ? undefined : dispatch({ type: "way", way: "unknown" });
      default:
        return dispatch({ type: command.do });
    }
  }

  store.subscribe((now, before) => {
    if (now.keysOn !== before.keysOn) keep.write("keys", now.keysOn);
    // A closed dialog gives the focus back to the work.
    if (before.dialog && !now.dialog) queueMicrotask(focusQuestion);
  });
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || !store.get().keysOn || document.querySelector("dialog[open]")) return;
    // On a word or an option Enter goes on; Space marks or picks it.
    const isPart = event.target instanceof Element && event.target.closest("[data-enter-next]") !== null;
    const command = commandOf(event, isPart ? "other" : focusOf(event.target));
    if (!command) return;
    event.preventDefault();
    if (!event.repeat) run(command);
  });

  place.replaceChildren();
  render(<App page={page} />, place);
  const status = document.querySelector("[data-work-status]");
  if (status) render(<Header page={page} serverNow={() => api.serverNow()} />, status);
  void session.start();
}

const place = document.querySelector<HTMLElement>("[data-parse-app]");
if (place) start(place);
