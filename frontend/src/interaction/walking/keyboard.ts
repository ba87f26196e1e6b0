/** The keys of the world, while the pane has the focus. */

import { actionOf, type Action } from "./actions";

export interface Keyboard {
  /** Repeats too. */
  pressed(action: Action, isRepeat: boolean): void;
  released(action: Action): void;
  /** Whatever was held is held no longer. */
  left(): void;
}

/** Listens until the answer is called. */
export function listenToKeys(pane: HTMLElement, on: Keyboard): () => void {
  const down = (event: KeyboardEvent): void => {
    // While Cmd is held macOS does not tell of other keys that are let go.
    if (event.metaKey) on.left();
    // A button in the pane keeps its own keys; and so does the browser.
    if (event.target !== pane || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = actionOf(event.code);
    if (!action) return;
    event.preventDefault();
    on.pressed(action, event.repeat);
  };
  const up = (event: KeyboardEvent): void => {
    const action = actionOf(event.code);
    if (action) on.released(action);
  };
  const left = (): void => on.left();
  pane.addEventListener("keydown", down);
  pane.addEventListener("keyup", up);
  pane.addEventListener("blur", left);
  // Another window takes the keys without the focus moving within the page.
  window.addEventListener("blur", left);
  return () => {
    pane.removeEventListener("keydown", down);
    pane.removeEventListener("keyup", up);
    pane.removeEventListener("blur", left);
    window.removeEventListener("blur", left);
  };
}
