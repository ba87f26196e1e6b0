/** Focuses the control that answers the current question. */

const ANSWERS = ["[data-question] [data-first-control]", '[data-tokens].is-on [tabindex="0"]', "[data-asking]"];

export function focusQuestion(): void {
  if (document.querySelector("dialog[open]")) return;
  for (const place of ANSWERS) {
    const found = document.querySelector<HTMLElement>(place);
    if (found) return found.focus();
  }
}
