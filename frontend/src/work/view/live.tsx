/** Gives every part of a tool's page what the page can do (`page`) and its present state. */

import { createContext, type ComponentChildren } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import type { Store } from "../store";

export interface View<P, S> {
  page: P;
  state: S;
}

/** One tool's pair: `Live` renders its children again whenever the state changes, `useView` reads both from inside. */
export function createView<P extends { store: Pick<Store<S, never>, "get" | "subscribe"> }, S>() {
  const Context = createContext<View<P, S> | null>(null);

  function useView(): View<P, S> {
    const view = useContext(Context);
    if (!view) throw new Error("outside of the page");
    return view;
  }

  function Live({ page, children }: { page: P; children: (view: View<P, S>) => ComponentChildren }) {
    const [state, setState] = useState(page.store.get());
    useLayoutEffect(() => {
      setState(page.store.get());
      return page.store.subscribe((now) => setState(now));
    }, [page]);
    const view = { page, state };
    return <Context.Provider value={view}>{children(view)}</Context.Provider>;
  }

  return { Live, useView };
}
