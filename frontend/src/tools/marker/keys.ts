/** The keys of the marker. Keys with Ctrl, Alt or Meta belong to the browser. */

import type { Focus, Press } from "../../work/focus";

export type Command =
  | { do: "toggle" }
  | { do: "shuttle"; direction: -1 | 1 }
  | { do: "step"; frames: number }
  | { do: "jump"; seconds: number }
  | { do: "go"; to: "first" | "last" | "takeover" | "marker" }
  | { do: "change"; by: -1 | 1 }
  | { do: "place"; outcome: "success" | "failure" }
  | { do: "never" }
  | { do: "clear" }
  | { do: "submit" }
  /** 0: the whole picture. */
  | { do: "zoom"; by: -1 | 0 | 1 }
  | { do: "help" };

/** The lines of the help. */
export const KEY_HELP: readonly (readonly [keys: string, does: string])[] = [
  ["S", "success at this picture"],
  ["F", "failure at this picture"],
  ["N", "never did it"],
  ["U", "remove the marker"],
  ["Enter", "submit"],
  ["Space or K", "play, pause"],
  ["J · L", "play back, forward; again for faster"],
  ["← → or , .", "one picture back, forward"],
  ["Shift ← →", "ten pictures"],
  ["Q · E", "to where something changed before, to where it changes next"],
  ["Page Down · Page Up", "one second back, forward"],
  ["Home · End", "first, last picture"],
  ["+ · −", "look nearer, farther; or the wheel; drag to move"],
  ["0", "the whole picture"],
  ["[ · ]", "to the takeover, to the marker"],
  ["?", "this list"],
];

export function commandOf(press: Press, focus: Focus): Command | null {
  if (press.ctrlKey || press.metaKey || press.altKey || focus === "text") return null;
  const { key, shiftKey } = press;
  switch (key) {
    case " ":
      return focus === "button" ? null : { do: "toggle" };
    case "Enter":
      return focus === "button" ? null : { do: "submit" };
    case "ArrowLeft":
    case "ArrowRight": {
      const side = key === "ArrowLeft" ? -1 : 1;
      if (shiftKey) return { do: "step", frames: 10 * side };
      // The slider steps one frame by itself and reports it as an input event.
      return focus === "slider" ? null : { do: "step", frames: side };
    }
    case "Home":
    case "End":
      return focus === "slider" ? null : { do: "go", to: key === "Home" ? "first" : "last" };
    case "PageDown":
      return { do: "jump", seconds: -1 };
    case "PageUp":
      return { do: "jump", seconds: 1 };
    case ",":
      return { do: "step", frames: -1 };
    case ".":
      return { do: "step", frames: 1 };
    case "[":
      return { do: "go", to: "takeover" };
    case "]":
      return { do: "go", to: "marker" };
    case "+":
    case "=":
      return { do: "zoom", by: 1 };
    case "-":
      return { do: "zoom", by: -1 };
    case "0":
      return { do: "zoom", by: 0 };
    case "?":
      return { do: "help" };
    case "Backspace":
    case "Delete":
      return { do: "clear" };
    default:
      return letter(key.toLowerCase());
  }
}

function letter(key: string): Command | null {
  switch (key) {
    case "s":
      return { do: "place", outcome: "success" };
    case "f":
      return { do: "place", outcome: "failure" };
    case "n":
      return { do: "never" };
    case "u":
      return { do: "clear" };
    case "q":
      return { do: "change", by: -1 };
    case "e":
      return { do: "change", by: 1 };
    case "j":
      return { do: "shuttle", direction: -1 };
    case "k":
      return { do: "toggle" };
    case "l":
      return { do: "shuttle", direction: 1 };
    default:
      return null;
  }
}
