/**
 * The project's instructions: pages of a <dialog> from the server. It opens at the first visit and again when the
 * version (`data-version`) is not the one that was last closed.
 */

import { hasPassed, READ } from "./practice";
import type { BrowserStorage } from "./storage";

export interface Instructions {
  /** Opens at a page, or at the last one where there are fewer. */
  open(page?: number): void;
  isOpen(): boolean;
}

export function mountInstructions(dialog: HTMLDialogElement, keep: BrowserStorage, onClose: () => void): Instructions {
  const pages = [...dialog.querySelectorAll<HTMLElement>("[data-page]")];
  const previous = dialog.querySelector<HTMLButtonElement>("[data-previous-page]");
  const next = dialog.querySelector<HTMLButtonElement>("[data-next-page]");
  const close = dialog.querySelector<HTMLButtonElement>("[data-close-instructions]");
  const practice = hasPassed(keep) ? null : dialog.querySelector<HTMLAnchorElement>("[data-practice-link]");
  const where = dialog.querySelector<HTMLElement>("[data-page-number]");
  const changed = dialog.querySelector<HTMLElement>("[data-instructions-changed]");
  const version = dialog.dataset.version ?? "";
  let at = 0;

  const show = (index: number): void => {
    at = Math.min(Math.max(index, 0), pages.length - 1);
    pages.forEach((page, i) => (page.hidden = i !== at));
    const last = at >= pages.length - 1;
    if (where) where.textContent = pages.length > 1 ? `Page ${at + 1} of ${pages.length}` : "";
    if (previous) previous.disabled = at === 0;
    if (next) next.disabled = last;
    for (const button of [previous, next]) if (button) button.hidden = pages.length < 2;
    // The next step has the accent: to try one, as long as the worker has not; else to read on.
    practice?.classList.add("btn-primary");
    next?.classList.toggle("btn-primary", !practice && !last);
    close?.classList.toggle("btn-primary", !practice && last);
  };
  const turn = (by: number): void => {
    show(at + by);
    const body = pages[at];
    body?.parentElement?.scrollTo(0, 0);
    // A button that becomes disabled loses the focus.
    if (document.activeElement === document.body || (document.activeElement as HTMLButtonElement | null)?.disabled)
      close?.focus();
  };
  previous?.addEventListener("click", () => turn(-1));
  next?.addEventListener("click", () => turn(1));
  close?.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    keep.write(READ, version || true);
    if (changed) changed.hidden = true;
    onClose();
  });
  const open = (page = 0): void => {
    if (dialog.open) return;
    show(page);
    dialog.showModal();
    (practice ?? (pages.length > 1 ? next : close))?.focus();
  };
  show(0);
  const read = keep.read<string | boolean>(READ);
  if (!read || (version !== "" && read !== version)) {
    if (changed) changed.hidden = !read;
    open();
  }
  return { open, isOpen: () => dialog.open };
}
