/** Loaded on every page: the sheet, and two small habits that need no framework. */

import "./styles/site.css";

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
