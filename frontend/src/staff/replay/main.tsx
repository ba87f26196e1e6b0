/** Mounts the replay in `[data-replay]`: fetches the log and keeps fetching while the session runs. */

import "../../styles/staff/replay.css";
import { render } from "preact";
import { createStore } from "../../work/store";
import { fetchPage, NoPage } from "./api";
import { Playback } from "./playback";
import { opened, reduce } from "./state";
import { App } from "./view/app";

async function start(place: HTMLElement, address: string): Promise<void> {
  try {
    const store = createStore(reduce, opened(await fetchPage(address, 0)));
    const playback = new Playback(store, (after) => fetchPage(address, after));
    place.replaceChildren();
    render(<App store={store} playback={playback} />, place);
    playback.start();
  } catch (fault) {
    if (!(fault instanceof NoPage)) throw fault;
    const told = document.createElement("p");
    told.className = "notice notice-bad";
    told.setAttribute("role", "alert");
    told.textContent = `The replay could not be fetched. ${fault.message} Load this page again.`;
    place.replaceChildren(told);
  }
}

const place = document.querySelector<HTMLElement>("[data-replay]");
if (place) void start(place, place.dataset.events ?? "");
