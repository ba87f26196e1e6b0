/**
 * Keys of lists (`table[data-grid]`), their menus and boxes, and thumbnails that play. Everything else of a list works
 * without scripts.
 */

export type GridKey = "next" | "previous" | "open" | "choose" | "search" | "help";

type Press = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

/** The act of a key; null for keys of text fields, with a modifier, and for arrows while no row has the focus. */
export function keyOf(event: Press, at: { isTyping: boolean; isInRow: boolean }): GridKey | null {
  if (at.isTyping || event.ctrlKey || event.metaKey || event.altKey) return null;
  switch (event.key) {
    case "j":
      return "next";
    case "k":
      return "previous";
    case "ArrowDown":
      return at.isInRow ? "next" : null;
    case "ArrowUp":
      return at.isInRow ? "previous" : null;
    case "Enter":
      return at.isInRow ? "open" : null;
    case "x":
      return at.isInRow ? "choose" : null;
    case "/":
      return "search";
    case "?":
      return "help";
    default:
      return null;
  }
}

/** The place after a step through `count` rows, from -1 (no row) on; it stops at both ends. */
export function stepped(place: number, step: 1 | -1, count: number): number {
  return Math.min(Math.max(place + step, 0), count - 1);
}

export function startGrids(page: Document): void {
  startBoxes(page);
  startThumbs(page);
  page.addEventListener("click", (event) => {
    for (const menu of page.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
      if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  });
  const table = page.querySelector<HTMLTableElement>("table[data-grid]");
  if (!table) return;
  page.addEventListener("keydown", (event) => {
    if (page.querySelector("dialog[open]")) return;
    const at = event.target instanceof Element ? event.target : null;
    const rows = [...table.tBodies[0]!.rows];
    const row = at?.closest("tr") ?? null;
    const isInRow = row !== null && row === at && rows.includes(row);
    const key = keyOf(event, { isTyping: at?.matches("input, textarea, select") ?? false, isInRow });
    if (key === null) return;
    event.preventDefault();
    const place = row ? rows.indexOf(row) : -1;
    if (key === "next") go(rows[stepped(place, 1, rows.length)]);
    else if (key === "previous") go(rows[stepped(place, -1, rows.length)]);
    else if (key === "open") row?.querySelector<HTMLAnchorElement>("td:not(.grid-box) a[href]")?.click();
    else if (key === "choose") row?.querySelector<HTMLInputElement>(".grid-box input")?.click();
    else if (key === "search") page.querySelector<HTMLInputElement>('.grid-filters input[type="search"]')?.focus();
    else page.querySelector<HTMLDialogElement>("[data-grid-keys]")?.showModal();
  });
}

function go(row: HTMLTableRowElement | undefined): void {
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
}

/** `<button data-tick-all="row" hidden>` ticks every box of that name, or clears them if all are ticked. */
function startBoxes(page: Document): void {
  for (const button of page.querySelectorAll<HTMLButtonElement>("button[data-tick-all]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const boxes = [...page.querySelectorAll<HTMLInputElement>(`.grid-box input[name="${button.dataset.tickAll}"]`)];
      const isAll = boxes.every(({ checked }) => checked);
      for (const box of boxes) box.checked = !isAll;
    });
  }
}

/**
 * `<a class="thumb" data-video="address">` plays its video without sound while it is pointed at or has the focus, from
 * `data-from` seconds on, if that is there.
 */
function startThumbs(page: Document): void {
  const play = (event: Event): void => {
    const thumb = event.currentTarget;
    if (!(thumb instanceof HTMLElement) || !thumb.dataset.video || thumb.querySelector("video")) return;
    const video = page.createElement("video");
    video.muted = true;
    video.loop = true;
    video.playsInline = true;
    video.src = thumb.dataset.from ? `${thumb.dataset.video}#t=${thumb.dataset.from}` : thumb.dataset.video;
    thumb.append(video);
    void video.play().catch(() => video.remove());
  };
  const stop = (event: Event): void => {
    if (event.currentTarget instanceof HTMLElement) event.currentTarget.querySelector("video")?.remove();
  };
  for (const thumb of page.querySelectorAll<HTMLElement>("[data-video]")) {
    thumb.addEventListener("pointerenter", play);
    thumb.addEventListener("focus", play);
    thumb.addEventListener("pointerleave", stop);
    thumb.addEventListener("blur", stop);
  }
}
