/** Mounts the review of one marker task. */

import "../../styles/staff/review.css";
import { render } from "preact";
import { runner } from "../../tools/marker/commands";
import { focusOf } from "../../work/focus";
import { initialState as benchState, reduce as benchReduce } from "../../tools/marker/state";
import { createStore } from "../../work/store";
import { reviewApi } from "./api";
import { reviewCommandOf } from "./keys";
import { ReviewPage } from "./page";
import type { ReviewData } from "./payload";
import { initialState, reduce } from "./state";
import { App } from "./view/app";

function start(place: HTMLElement, data: ReviewData): void {
  const markerStore = createStore(benchReduce, benchState(true));
  const store = createStore(reduce, initialState(data));
  const run = runner(markerStore, () => page);
  const page: ReviewPage = new ReviewPage(
    data,
    store,
    markerStore,
    reviewApi(data, place.dataset.csrf ?? ""),
    (address) => location.assign(address),
    () => run,
  );
  place.replaceChildren();
  render(<App page={page} />, place);

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const command = reviewCommandOf(event, focusOf(event.target));
    if (!command) return;
    event.preventDefault();
    if (event.repeat && command.do !== "step" && command.do !== "jump") return;
    page.do(command);
  });
  markerStore.subscribe((now) => {
    // The review page submits the answer itself, so the marker never sends one.
    if (now.submitting) markerStore.dispatch({ type: "sending", sending: { is: "idle" } });
  });
  store.subscribe((now, before) => {
    if (before.dialog && !now.dialog) queueMicrotask(() => page.focusVideo());
  });
}

const place = document.querySelector<HTMLElement>("[data-review-app]");
const told = document.querySelector("#review-data");
if (place && told) start(place, JSON.parse(told.textContent ?? "") as ReviewData);
