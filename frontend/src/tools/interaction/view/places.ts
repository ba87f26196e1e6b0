/** Parts of the page that get the focus. */

const at = (what: string): HTMLElement | null => document.querySelector<HTMLElement>(what);

const isCovered = (): boolean => document.querySelector("dialog[open]") !== null;

/** Whether the focus is in the world: then nothing takes it away. */
export const isInWorld = (): boolean => at("[data-world]")?.contains(document.activeElement) ?? false;

/** Whether the focus is in the talk or nowhere, so that it may be moved. */
export function isFree(): boolean {
  const { activeElement } = document;
  return (
    activeElement === null ||
    activeElement === document.body ||
    activeElement.id === "main" ||
    activeElement.closest("[data-talk]") !== null
  );
}

/** Focuses the open card, or else the text field. */
export function focusTalk(): void {
  if (isCovered()) return;
  const card = at("[data-card]");
  const field = at("[data-command]");
  // While the page has neither, its main part gets the focus.
  (at("[data-card] [data-card-words]") ?? card ?? field ?? at("#main"))?.focus({ preventScroll: true });
  // On a phone the card may be below, and the text field covers what is under it, so the part right above the field is
  // scrolled into view too. On larger screens nothing moves.
  for (const part of card ? [card] : [field?.closest("form")?.previousElementSibling, field])
    part?.scrollIntoView({ block: "nearest" });
}
