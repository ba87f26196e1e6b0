/** Parts of the page that the focus is led to, from wherever. */

const at = (what: string): HTMLElement | null => document.querySelector<HTMLElement>(what);

const isCovered = (): boolean => document.querySelector("dialog[open]") !== null;

/** Whether the keys belong to the world: then nothing takes the focus away from it. */
export const isInWorld = (): boolean => at("[data-world]")?.contains(document.activeElement) ?? false;

/** Whether the worker is in the talk, or nowhere: then the focus may be led on. */
export function isFree(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || activeElement.id === "main" || activeElement.closest("[data-talk]") !== null;
}

/** What the worker is asked, or else where they type. */
export function focusTalk(): void {
  if (isCovered()) return;
  const card = at("[data-card]");
  const field = at("[data-command]");
  // Before there is any, the place where it will be: the focus is never nowhere.
  (at("[data-card] [data-card-words]") ?? card ?? field ?? at("#main"))?.focus({ preventScroll: true });
  // On a phone it may lie below, and there the field covers what is under it: what stands right over the field is shown
  // too. Elsewhere all is in view and nothing moves.
  for (const part of card ? [card] : [field?.closest("form")?.previousElementSibling, field]) part?.scrollIntoView({ block: "nearest" });
}
