/**
 * Mounts the picture of a scene with its masks on a staff page, in `[data-masks]`. It reads its data from `<script
 * type="application/json" id="masks-data">`.
 *
 * Optional parts of the page: `[data-needs-picture]` is shown; `button[data-show]` and `button[data-compare]` name a
 * layer; `[data-draw]` holds a JSON field that an editor fills; input in an element with `data-picks` selects the radio
 * button of that value.
 */

import "../../styles/staff/scene_review.css";
import { render } from "preact";
import { createStore } from "../../work/store";
import { Grid } from "../../world/grid";
import { offerDrawing } from "./draw";
import { readMasks } from "./layers";
import type { MasksData } from "./payload";
import { initial, reduce } from "./state";
import { App } from "./view/app";

function start(place: HTMLElement, data: MasksData): void {
  const masks = readMasks(data);
  const store = createStore(reduce, initial(masks));
  place.replaceChildren();
  render(<App scene={data.scene} grid={Grid.of(data.scene)} masks={masks} store={store} />, place);
  for (const hidden of document.querySelectorAll<HTMLElement>("[data-needs-picture]")) hidden.hidden = false;
  for (const field of document.querySelectorAll<HTMLElement>("[data-draw]"))
    offerDrawing(field, data.scene, data.phrase, masks);

  document.addEventListener("click", (event) => {
    const button =
      event.target instanceof Element
        ? event.target.closest<HTMLButtonElement>("button[data-show], button[data-compare]")
        : null;
    if (!button) return;
    const { show, compare } = button.dataset;
    store.dispatch(show ? { type: "one", id: show } : { type: "against", id: compare ?? "" });
    place.scrollIntoView({ block: "nearest" });
  });
  document.addEventListener("input", (event) => {
    const field = event.target instanceof HTMLElement ? event.target : null;
    const { picks } = field?.dataset ?? {};
    const radio =
      picks &&
      field
        ?.closest("form")
        ?.querySelector<HTMLInputElement>(`input[type=radio][name=pick][value="${CSS.escape(picks)}"]`);
    if (radio) radio.checked = true;
  });
}

const place = document.querySelector<HTMLElement>("[data-masks]");
const told = document.querySelector("#masks-data")?.textContent;
if (place && told) start(place, JSON.parse(told) as MasksData);
