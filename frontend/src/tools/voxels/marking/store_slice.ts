/** Access to the current marking, inside the state of the page or alone in an editor. */

import type { Store } from "../../../work/store";
import type { MarkAction, Marking } from "./marking";
import type { Action, VoxelState } from "../state";

export interface MarkingSlice {
  get(): Marking | null;
  dispatch(action: MarkAction): void;
  subscribe(listener: (now: Marking | null) => void): () => void;
}

export function sliceOfPage(store: Store<VoxelState, Action>): MarkingSlice {
  return {
    get: () => store.get().marking,
    dispatch: (action) => store.dispatch({ type: "mark", action }),
    subscribe: (listener) => store.subscribe((now, before) => now.marking !== before.marking && listener(now.marking)),
  };
}

export function sliceOf(store: Store<Marking, MarkAction>): MarkingSlice {
  return {
    get: () => store.get(),
    dispatch: (action) => store.dispatch(action),
    subscribe: (listener) => store.subscribe((now) => listener(now)),
  };
}
