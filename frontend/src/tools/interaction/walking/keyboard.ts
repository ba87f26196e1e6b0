/** Listens for the keys of the world while the pane has the focus. */

import { actionOf, type Action } from "./actions";

export interface Keyboard {
  /** Called for repeated key events too. */
  pressed(action: Action, isRepeat: boolean): void;
  released(action: Action): void;
  /** All keys count as released. */
  left(): void;
}

/** Listens until the returned function is called. */
export function listenToKeys(pane: HTMLElement, on: Keyboard): () => void {
  const down = (event: KeyboardEvent): void => {
    // macOS sends no keyup for other keys while Cmd is held.
    if (event.metaKey) on.left();
    // A button inside the pane keeps its own keys, and key combinations belong to the browser.
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
  // Another window can take the keys without a change of focus in the page.
  window.addEventListener("blur", left);
  return () => {
    pane.removeEventListener("keydown", down);
    pane.removeEventListener("keyup", up);
    pane.removeEventListener("blur", left);
    window.removeEventListener("blur", left);
  };
}
