/** Parts of the page that get the focus. */

import type { Axis } from "../keys";

export function focusPicture(within: ParentNode = document): void {
  if (!document.querySelector("dialog[open]"))
    within.querySelector<HTMLElement>("[data-picture]")?.focus({ preventScroll: true });
}

/** The text field of a scene that is named. */
export function focusName(within: ParentNode = document): void {
  if (!document.querySelector("dialog[open]"))
    within.querySelector<HTMLElement>("[data-naming]")?.focus({ preventScroll: true });
}

/** Opens the panel of the cut and focuses the first slider of the axis. */
export function focusPlane(axis: Axis, within: ParentNode = document): void {
  const panel = within.querySelector<HTMLDetailsElement>("[data-cut]");
  if (panel) panel.open = true;
  panel?.querySelector<HTMLElement>(`[data-plane="${axis}-low"]`)?.focus();
}
