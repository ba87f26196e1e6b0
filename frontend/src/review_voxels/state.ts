/** What of the masks is looked at. Pure. */

import type { Look } from "../world/looks";
import type { Masks } from "./layers";

export type View = "shares" | "pair" | "one";

export interface Looking {
  view: View;
  /** Ids of layers; "" where there is none. */
  one: string;
  a: string;
  b: string;
  isGroundHidden: boolean;
  /** Nothing of the scene but what is painted. */
  isBare: boolean;
  /** Left out of the picture: what lies outside may hide what lies within. */
  off: readonly Look[];
}

export type Action =
  | { type: "view"; view: View }
  | { type: "one"; id: string }
  | { type: "a"; id: string }
  | { type: "b"; id: string }
  /** Hold this one against what is looked at now. */
  | { type: "against"; id: string }
  | { type: "swap" }
  | { type: "ground" }
  | { type: "bare" }
  | { type: "look"; look: Look };

/** The views that these masks have something to show in. */
export function viewsOf({ layers, steps }: Masks): View[] {
  const views: View[] = [];
  if (steps.some(({ mask }) => mask.size > 0)) views.push("shares");
  if (layers.length > 1) views.push("pair");
  if (layers.length > 0) views.push("one");
  return views;
}

export function initial(masks: Masks): Looking {
  const [first = "", second = first] = masks.layers.map(({ id }) => id);
  return { view: viewsOf(masks)[0] ?? "one", one: first, a: first, b: second, isGroundHidden: false, isBare: false, off: [] };
}

export function reduce(state: Looking, action: Action): Looking {
  switch (action.type) {
    case "view":
      return { ...state, view: action.view };
    case "one":
      return { ...state, view: "one", one: action.id };
    case "a":
      return { ...state, view: "pair", a: action.id };
    case "b":
      return { ...state, view: "pair", b: action.id };
    case "against": {
      const from = state.view === "one" ? state.one : state.a;
      // Against itself there is nothing to see: then against what it was held against last.
      const a = from === action.id ? (state.b === action.id ? state.a : state.b) : from;
      return { ...state, view: "pair", a, b: action.id };
    }
    case "swap":
      return { ...state, a: state.b, b: state.a };
    case "ground":
      return { ...state, isGroundHidden: !state.isGroundHidden };
    case "bare":
      return { ...state, isBare: !state.isBare };
    case "look": {
      const rest = state.off.filter((look) => look !== action.look);
      return { ...state, off: rest.length < state.off.length ? rest : [...rest, action.look] };
    }
  }
}
