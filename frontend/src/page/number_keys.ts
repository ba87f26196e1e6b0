/** The keys 1 to 9 press the buttons inside `data-digits`, in their order, as on the page where workers answer. */

type Press = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey"> & Partial<Pick<KeyboardEvent, "repeat">>;

/**
 * The index of the button that a key presses; null for other keys, with a modifier, while held down, or in a text
 * field.
 */
export function buttonOf(event: Press, isTyping: boolean): number | null {
  // A held key would also answer the next question, which nobody has read yet.
  if (isTyping || event.repeat || event.ctrlKey || event.metaKey || event.altKey || !/^[1-9]$/.test(event.key))
    return null;
  return Number(event.key) - 1;
}

export function startNumberKeys(page: Document): void {
  page.addEventListener("keydown", (event) => {
    const at = event.target;
    const isTyping =
      at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement || at instanceof HTMLSelectElement;
    const number = buttonOf(event, isTyping);
    const button = number === null ? null : page.querySelectorAll<HTMLButtonElement>("[data-digits] button")[number];
    button?.click();
  });
}
