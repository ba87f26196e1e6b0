/** Starts the replay of a session on its page: fetches the log that `[data-replay]` names, and goes on where it goes on. */

import "../styles/replay.css";
import { render } from "preact";
import { createStore } from "../shared/store";
import { fetchPage, NoPage } from "./api";
import { Course } from "./course";
import { opened, reduce } from "./state";
import { App } from "./view/app";

async function start(place: HTMLElement, address: string): Promise<void> {
  try {
    const store = createStore(reduce, opened(await fetchPage(address, 0)));
    const course = new Course(store, (after) => fetchPage(address, after));
    place.replaceChildren();
    render(<App store={store} course={course} />, place);
    course.start();
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
