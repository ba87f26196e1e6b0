/** Starts the review of one task on the page that the server drew. */

import "../styles/review.css";
import { render } from "preact";
import { runner } from "../marker/commands";
import { focusOf } from "../shared/focus";
import { initialState as benchState, reduce as benchReduce } from "../marker/state";
import { createStore } from "../shared/store";
import { reviewApi } from "./api";
import { reviewCommandOf } from "./keys";
import { ReviewPage } from "./page";
import type { ReviewData } from "./payload";
import { initialState, reduce } from "./state";
import { App } from "./view/app";

function start(place: HTMLElement, data: ReviewData): void {
  const bench = createStore(benchReduce, benchState(true));
  const store = createStore(reduce, initialState(data));
  const run = runner(bench, () => page);
  const page: ReviewPage = new ReviewPage(
    data,
    store,
    bench,
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
  bench.subscribe((now) => {
    // A marker key asked for in the bench is sent from here alone.
    if (now.submitting) bench.dispatch({ type: "sending", sending: { is: "idle" } });
  });
  store.subscribe((now, before) => {
    if (before.dialog && !now.dialog) queueMicrotask(() => page.focusVideo());
  });
}

const place = document.querySelector<HTMLElement>("[data-review-app]");
const told = document.querySelector("#review-data");
if (place && told) start(place, JSON.parse(told.textContent ?? "") as ReviewData);
