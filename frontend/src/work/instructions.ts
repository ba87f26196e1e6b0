/**
 * The project's instructions: pages of a <dialog> from the server. It opens at the first visit and again when the
 * version (`data-version`) is not the one that was last closed.
 */

import type { BrowserStorage } from "./storage";

/** The storage key of the version that was last closed (`true` for pages without a version). */
const READ = "instructions-read";

export interface Instructions {
  open(): void;
  isOpen(): boolean;
}

export function mountInstructions(dialog: HTMLDialogElement, keep: BrowserStorage, onClose: () => void): Instructions {
  const pages = [...dialog.querySelectorAll<HTMLElement>("[data-page]")];
  const previous = dialog.querySelector<HTMLButtonElement>("[data-previous-page]");
  const next = dialog.querySelector<HTMLButtonElement>("[data-next-page]");
  const close = dialog.querySelector<HTMLButtonElement>("[data-close-instructions]");
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
    // The next step has the accent.
    next?.classList.toggle("btn-primary", !last);
    close?.classList.toggle("btn-primary", last);
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
  const open = (): void => {
    if (dialog.open) return;
    show(0);
    dialog.showModal();
    (pages.length > 1 ? next : close)?.focus();
  };
  show(0);
  const read = keep.read<string | boolean>(READ);
  if (!read || (version !== "" && read !== version)) {
    if (changed) changed.hidden = !read;
    open();
  }
  return { open, isOpen: () => dialog.open };
}
