/**
 * Pointing at a line of an outline (`data-lights="0 1"`) highlights its words in the command (`data-command`,
 * `data-word`).
 */

export function wordsOf(line: string): Set<string> {
  return new Set(line.split(" ").filter(Boolean));
}

export function highlight(words: Iterable<HTMLElement>, lit: ReadonlySet<string>): void {
  for (const word of words) word.classList.toggle("is-lit", lit.has(word.dataset.word ?? ""));
}

export function startHighlights(page: Document): void {
  const show = (event: Event): void => {
    const line = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-lights]") : null;
    highlight(page.querySelectorAll<HTMLElement>("[data-command] [data-word]"), wordsOf(line?.dataset.lights ?? ""));
  };
  // A tap fires pointerover too.
  if (page.querySelector("[data-command]")) page.addEventListener("pointerover", show);
}
