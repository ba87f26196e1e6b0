/**
 * `<div data-live="/address/">` draws itself anew: the server sends its HTML whenever that has changed, as server-sent
 * events. Where these do not come through, the page asks again and again. `[data-live-state]` says how old it is.
 */

const ASK_EVERY_MS = 15_000;
/** Without an event for so long, a stream is taken to be held back by something on the way. */
const SILENT_MS = 20_000;

export function clock(at: Date): string {
  return at.toLocaleTimeString([], { hour12: false });
}

/** Replace the content; what had the focus gets it again, if it is still there. */
export function redraw(place: HTMLElement, html: string): void {
  const had = document.activeElement;
  const links = (): HTMLElement[] => [...place.querySelectorAll<HTMLElement>("a[href], button, summary")];
  const at = had instanceof HTMLElement && place.contains(had) ? links().indexOf(had) : -1;
  // The HTML is the server's own template.
  place.innerHTML = html;
  if (at >= 0) links()[at]?.focus({ preventScroll: true });
}

export function startLiveParts(page: Document): void {
  const place = page.querySelector<HTMLElement>("[data-live]");
  const address = place?.dataset.live;
  if (!place || !address) return;
  const state = page.querySelector<HTMLElement>("[data-live-state]");
  let heardAt = Date.now();

  const heard = (): void => {
    heardAt = Date.now();
    if (state) state.textContent = `as of ${clock(new Date())}`;
  };
  const ask = async (): Promise<void> => {
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    // An account that is signed out is led to another page.
    if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
    redraw(place, await answer.text());
    heard();
  };

  const stream = new EventSource(address);
  stream.addEventListener("message", (event: MessageEvent<string>) => {
    redraw(place, event.data);
    heard();
  });
  stream.addEventListener("still", heard);
  window.setInterval(() => {
    if (page.hidden || Date.now() - heardAt < SILENT_MS) return;
    ask().catch(() => {
      if (state) state.textContent = `no connection since ${clock(new Date(heardAt))}`;
    });
  }, ASK_EVERY_MS);
}
