/** Where the marking at hand is kept: within the state of the page, or alone in an editor. */

import type { Store } from "../shared/store";
import type { MarkAction, Marking } from "./marking";
import type { Action, VoxelState } from "./state";

export interface Desk {
  get(): Marking | null;
  dispatch(action: MarkAction): void;
  subscribe(listener: (now: Marking | null) => void): () => void;
}

export function deskOfPage(store: Store<VoxelState, Action>): Desk {
  return {
    get: () => store.get().marking,
    dispatch: (action) => store.dispatch({ type: "mark", action }),
    subscribe: (listener) => store.subscribe((now, before) => now.marking !== before.marking && listener(now.marking)),
  };
}

export function deskOf(store: Store<Marking, MarkAction>): Desk {
  return { get: () => store.get(), dispatch: (action) => store.dispatch(action), subscribe: (listener) => store.subscribe((now) => listener(now)) };
}
