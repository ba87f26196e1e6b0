/**
 * Tables, plots and commands that are wider or higher than their frame can be focused, so that the arrow keys scroll
 * them. Those that fit are no stop of the Tab key.
 */

const FRAMES = ".table-wrap, .plot-heat-frame, pre";

/** Looks at every frame now and whenever the page's size changes. */
export function startScrollFocus(page: Document): void {
  const look = (): void => page.querySelectorAll<HTMLElement>(FRAMES).forEach(makeFocusable);
  new ResizeObserver(look).observe(page.documentElement);
  look();
}

function makeFocusable(frame: HTMLElement): void {
  const scrolls = frame.scrollWidth > frame.clientWidth || frame.scrollHeight > frame.clientHeight;
  if (scrolls && !frame.hasAttribute("tabindex")) frame.dataset["scrolls"] = "";
  if ("scrolls" in frame.dataset) frame.tabIndex = scrolls ? 0 : -1;
}
