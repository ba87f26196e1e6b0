/** Starts the marker on the page that the server drew. */

import "../styles/marker.css";
import { render } from "preact";
import { focusOf } from "../shared/focus";
import { openLine } from "../shared/http";
import { mountInstructions } from "../shared/instructions";
import { handIn } from "../shared/quiz";
import { keepInMemory, keepUnder } from "../shared/storage";
import { createStore } from "../shared/store";
import { workApi } from "./api";
import { runner } from "./commands";
import { commandOf } from "./keys";
import { quizApi, quizOf } from "./quiz";
import type { Answer, Claim, Draft } from "./payload";
import { Session } from "./session";
import { initialState, reduce } from "./state";
import { Surface } from "./surface";
import { App, Live, type Parts } from "./view/app";
import type { Page } from "./view/page";
import { Status } from "./view/status";

function start(place: HTMLElement): void {
  const { api: base = "/api/v1/work/", token = "", storageKey = "crosswalk" } = place.dataset;
  const quiz = quizOf(place.dataset);
  const keep = quiz ? keepInMemory() : keepUnder(storageKey);
  const api = quiz ? quizApi(quiz, handIn, () => location.reload()) : workApi<Claim, Answer, Draft>(openLine(base, token));
  // Whoever is at the questions has read the pages; they stay at hand.
  if (quiz) keep.write("instructions-read", true);
  const store = createStore(reduce, initialState(keep.read<boolean>("keys") ?? true));
  let region: HTMLElement | null = null;
  const focusTask = (): void => {
    if (!document.querySelector("dialog[open]")) region?.focus({ preventScroll: true });
  };

  const dialog = document.querySelector<HTMLDialogElement>("dialog[data-instructions]");
  const instructions = dialog && mountInstructions(dialog, keep, focusTask);
  const page: Page = {
    store,
    run: runner(store, () => page.session),
    session: null,
    openInstructions: () => instructions?.open(),
    appealUrl: place.dataset.appealUrl || null,
    quiz,
  };
  const onParts = ({ root, canvas, decoders, region: player }: Parts): void => {
    region = player;
    page.session = new Session(api, store, new Surface(canvas, root), decoders, keep, focusTask);
    void page.session.start();
  };
  place.replaceChildren();
  render(<App page={page} onParts={onParts} />, place);
  const status = document.querySelector("[data-work-status]");
  if (status) {
    render(
      <Live page={page}>
        <Status serverNow={() => api.serverNow()} />
      </Live>,
      status,
    );
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || !store.get().keysOn || document.querySelector("dialog[open]")) return;
    const command = commandOf(event, focusOf(event.target));
    if (!command) return;
    event.preventDefault();
    // A key held down moves on, but decides only once.
    if (event.repeat && command.do !== "step" && command.do !== "jump") return;
    page.run(command);
  });
  store.subscribe((now, before) => {
    if (now.keysOn !== before.keysOn) keep.write("keys", now.keysOn);
    // A closed dialog gives the focus back to the work.
    if (before.dialog && !now.dialog) queueMicrotask(focusTask);
  });
}

const place = document.querySelector<HTMLElement>("[data-marker-app]");
if (place) start(place);
