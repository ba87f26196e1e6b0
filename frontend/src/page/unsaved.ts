/**
 * `<form data-unsaved>`: leaving the page asks first while something is typed and not sent. With `data-unsaved="now"`
 * the form came back from the server with faults, so it is unsaved from the start.
 */

export function startUnsaved(page: Document): void {
  let isUnsaved = page.querySelector('form[data-unsaved="now"]') !== null;
  page.addEventListener("input", (event) => {
    if (event.target instanceof Element && event.target.closest("form[data-unsaved]")) isUnsaved = true;
  });
  page.addEventListener("submit", () => (isUnsaved = false));
  window.addEventListener("beforeunload", (event) => {
    if (isUnsaved) event.preventDefault();
  });
}
