/** A state, a pure reducer and listeners. */

export interface Store<S, A> {
  get(): S;
  dispatch(action: A): void;
  subscribe(listener: (now: S, before: S) => void): () => void;
}

export function createStore<S, A>(reduce: (state: S, action: A) => S, initial: S): Store<S, A> {
  let state = initial;
  const listeners = new Set<(now: S, before: S) => void>();
  return {
    get: () => state,
    dispatch(action) {
      const before = state;
      state = reduce(state, action);
      if (state !== before) for (const listener of [...listeners]) listener(state, before);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
