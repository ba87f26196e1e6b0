/** Where the focus is when a key is pressed. */

/** The part of a KeyboardEvent that is used. */
export interface Press {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/**
 * The kind of element with the focus: a text field takes all keys, a button takes Enter and Space, a slider takes arrow
 * keys.
 */
export type Focus = "text" | "button" | "slider" | "other";

/** The kind of the focused element. */
export function focusOf(target: EventTarget | null): Focus {
  if (!(target instanceof HTMLElement)) return "other";
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return "text";
  if (target instanceof HTMLInputElement) {
    if (target.type === "range") return "slider";
    return ["checkbox", "radio", "button", "submit"].includes(target.type) ? "button" : "text";
  }
  return target.closest("button, a[href], summary") ? "button" : "other";
}

/** Keeps the focus where it is when the mouse presses a button, so that Enter still submits afterwards. */
export const keepFocus = (event: Event): void => event.preventDefault();
