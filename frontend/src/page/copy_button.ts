/** `<button data-copy="#command">` puts the text of that element on the clipboard and says so for a moment. */

const SAYS_SO_MS = 1500;

export function startCopyButtons(page: Document): void {
  page.addEventListener("click", (event) => {
    const button =
      event.target instanceof Element ? event.target.closest<HTMLButtonElement>("button[data-copy]") : null;
    const source = button && page.querySelector(button.dataset.copy ?? "");
    if (!button || !source) return;
    const label = button.textContent;
    void navigator.clipboard.writeText(source.textContent?.trim() ?? "").then(() => {
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = label), SAYS_SO_MS);
    });
  });
}
