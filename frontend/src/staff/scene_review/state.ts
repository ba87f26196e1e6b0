/** Which masks are shown, and how. Pure. */

import type { PaintStyle } from "../../world/patterns";
import type { Masks } from "./layers";

export type View = "shares" | "pair" | "one";

export interface SceneView {
  view: View;
  /** Ids of layers; "" for none. */
  one: string;
  a: string;
  b: string;
  isGroundHidden: boolean;
  /** Only the painted voxels are shown. */
  isBare: boolean;
  /** Styles that are switched off, because outer voxels may hide inner ones. */
  off: readonly PaintStyle[];
}

export type Action =
  | { type: "view"; view: View }
  | { type: "one"; id: string }
  | { type: "a"; id: string }
  | { type: "b"; id: string }
  /** Compares this layer with the one shown now. */
  | { type: "against"; id: string }
  | { type: "swap" }
  | { type: "ground" }
  | { type: "bare" }
  | { type: "style"; style: PaintStyle };

/** The views for which these masks have data. */
export function viewsOf({ layers, steps }: Masks): View[] {
  const views: View[] = [];
  if (steps.some(({ mask }) => mask.size > 0)) views.push("shares");
  if (layers.length > 1) views.push("pair");
  if (layers.length > 0) views.push("one");
  return views;
}

export function initial(masks: Masks): SceneView {
  const [first = "", second = first] = masks.layers.map(({ id }) => id);
  return {
    view: viewsOf(masks)[0] ?? "one",
    one: first,
    a: first,
    b: second,
    isGroundHidden: false,
    isBare: false,
    off: [],
  };
}

export function reduce(state: SceneView, action: Action): SceneView {
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
      // A layer is never compared with itself: then the last comparison partner is used.
      const a = from === action.id ? (state.b === action.id ? state.a : state.b) : from;
      return { ...state, view: "pair", a, b: action.id };
    }
    case "swap":
      return { ...state, a: state.b, b: state.a };
    case "ground":
      return { ...state, isGroundHidden: !state.isGroundHidden };
    case "bare":
      return { ...state, isBare: !state.isBare };
    case "style": {
      const rest = state.off.filter((style) => style !== action.style);
      return { ...state, off: rest.length < state.off.length ? rest : [...rest, action.style] };
    }
  }
}
