/** Loaded on every page: the sheet, and a few small habits that need no framework. */

import "./styles/site.css";
import { startDigits } from "./shared/digits";
import { startFrames } from "./shared/frames";
import { startLines } from "./shared/lines";
import { startOutlines } from "./shared/outline";

// <button data-confirm="Return this task?"> asks first; so does a form.
const ask = (event: Event): void => {
  const target = event.target instanceof Element ? event.target : null;
  const marked = event.type === "submit" ? target?.closest("form[data-confirm]") : target?.closest("a[data-confirm], button[data-confirm]");
  const question = marked?.getAttribute("data-confirm");
  if (question && !window.confirm(question)) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
};
document.addEventListener("click", ask, true);
document.addEventListener("submit", ask, true);

// <button data-copy="#command"> puts the text of that element on the clipboard and says so.
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>("button[data-copy]") : null;
  const source = button && document.querySelector(button.dataset.copy ?? "");
  if (!button || !source) return;
  const label = button.textContent;
  void navigator.clipboard.writeText(source.textContent?.trim() ?? "").then(() => {
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), 1500);
  });
});

// <textarea data-preview="#here" data-preview-from="/address/"> shows in #here what the server makes of the text, as it is typed.
const PREVIEW_AFTER_MS = 300;
let typing = 0;
document.addEventListener("input", (event) => {
  const field = event.target instanceof HTMLTextAreaElement ? event.target : null;
  const { preview, previewFrom } = field?.dataset ?? {};
  const place = preview && document.querySelector(preview);
  const form = field?.form;
  if (!field || !place || !previewFrom || !form) return;
  clearTimeout(typing);
  typing = window.setTimeout(() => {
    const text = field.value;
    const body = new FormData();
    body.set("page", text);
    body.set("csrfmiddlewaretoken", new FormData(form).get("csrfmiddlewaretoken") ?? "");
    void fetch(previewFrom, { method: "POST", body })
      .then(async (answer) => (answer.ok ? answer.text() : null))
      // The server's own HTML, cleaned there; an answer that was overtaken by more typing is dropped.
      .then((html) => {
        if (html !== null && field.value === text) place.innerHTML = html;
      })
      .catch(() => undefined);
  }, PREVIEW_AFTER_MS);
});

// <form data-unsaved>: leaving the page with something typed and not sent asks first; "now": it came back and is not kept yet.
let isUnsaved = document.querySelector('form[data-unsaved="now"]') !== null;
document.addEventListener("input", (event) => {
  if (event.target instanceof Element && event.target.closest("form[data-unsaved]")) isUnsaved = true;
});
document.addEventListener("submit", () => (isUnsaved = false));
window.addEventListener("beforeunload", (event) => {
  if (isUnsaved) event.preventDefault();
});

startDigits(document);
startFrames(document);
startLines(document);
// <button data-check-all="report" hidden> ticks every box of that name in its form, or none where all of them are ticked.
for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-check-all]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const boxes = [...(button.form?.querySelectorAll<HTMLInputElement>(`input[type="checkbox"][name="${button.dataset.checkAll}"]`) ?? [])];
    const isAll = boxes.every(({ checked }) => checked);
    for (const box of boxes) box.checked = !isAll;
  });
}

startOutlines(document);
