/**
 * Frames that scroll (`data-frame`) start at the important part of their drawing and keep their place when it is
 * replaced.
 */

/** The scroll offset that puts a box in the middle of its frame. */
export function middleOf(start: number, size: number, frame: number): number {
  return Math.max(0, start + size / 2 - frame / 2);
}

export function startScrollFrames(page: Document): void {
  for (const frame of page.querySelectorAll<HTMLElement>("[data-frame]")) centre(frame);
  let left = -1;
  let top = 0;
  const keep = (event: Event): void => {
    if (event.target instanceof HTMLElement && event.target.matches("[data-frame]")) {
      left = event.target.scrollLeft;
      top = event.target.scrollTop;
    }
  };
  page.addEventListener("scroll", keep, true);
  const drawn = page.querySelector("[data-drawn]");
  if (!drawn) return;
  new MutationObserver(() => {
    const frame = drawn.querySelector<HTMLElement>("[data-frame]");
    if (!frame) return;
    if (left < 0) centre(frame);
    else frame.scrollTo(left, top);
  }).observe(drawn, { childList: true });
}

/** Scrolls to the open question of a walk, else to the first fault, else to the first box. */
function centre(frame: HTMLElement): void {
  const found = [".is-open", ".is-faulty", ".tree-box"].map((one) => frame.querySelector(one));
  const box = found.find((one) => one !== null)?.getBoundingClientRect();
  if (!box) return;
  const { left, top } = frame.getBoundingClientRect();
  const [x, y] = [box.left - left + frame.scrollLeft, box.top - top + frame.scrollTop];
  frame.scrollTo(middleOf(x, box.width, frame.clientWidth), middleOf(y, box.height, frame.clientHeight));
}
