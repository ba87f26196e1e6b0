/** Where a key press lands, and whether it is ours to read. */

/** The part of a KeyboardEvent that decides. */
export interface Press {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** Where the focus is: in a text field keys are text; on a button Enter and Space press it; on a slider arrows move it. */
export type Focus = "text" | "button" | "slider" | "other";

/** Where a key press lands. */
export function focusOf(target: EventTarget | null): Focus {
  if (!(target instanceof HTMLElement)) return "other";
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return "text";
  if (target instanceof HTMLInputElement) {
    if (target.type === "range") return "slider";
    return ["checkbox", "radio", "button", "submit"].includes(target.type) ? "button" : "text";
  }
  return target.closest("button, a[href], summary") ? "button" : "other";
}
