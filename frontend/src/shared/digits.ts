/** The keys 1 to 9 press the buttons inside `data-digits`, in their order, as on the page where workers answer. */

type Press = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey"> & Partial<Pick<KeyboardEvent, "repeat">>;

/** Which button a key presses, from 0; none for any other key, with a modifier, while it is held, or somebody types. */
export function buttonOf(event: Press, isTyping: boolean): number | null {
  // Held down, it would answer the next question too, which nobody has read.
  if (isTyping || event.repeat || event.ctrlKey || event.metaKey || event.altKey || !/^[1-9]$/.test(event.key)) return null;
  return Number(event.key) - 1;
}

export function startDigits(page: Document): void {
  page.addEventListener("keydown", (event) => {
    const at = event.target;
    const isTyping = at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement || at instanceof HTMLSelectElement;
    const number = buttonOf(event, isTyping);
    const button = number === null ? null : page.querySelectorAll<HTMLButtonElement>("[data-digits] button")[number];
    button?.click();
  });
}
