/** The whole page of the marker, put together. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { Remark } from "../../shared/view/remark";
import { Brief } from "./brief";
import { KeysDialog, ReportDialog } from "./dialogs";
import { Marking, Spoken } from "./marking";
import { BenchContext, ViewContext, type Page } from "./page";
import { Screen } from "./screens";
import { Stage, Transport } from "./stage";
import { Timeline } from "./timeline";

export interface Parts {
  root: HTMLElement;
  canvas: HTMLCanvasElement;
  decoders: HTMLElement;
  region: HTMLElement;
}

/** Gives its children the present state, again whenever it changes. */
export function Live({ page, children }: { page: Page; children: ComponentChildren | (() => ComponentChildren) }) {
  const [state, setState] = useState(page.store.get());
  useEffect(() => {
    setState(page.store.get());
    return page.store.subscribe((now) => setState(now));
  }, [page]);
  const table = state.task ? (page.session?.player?.table ?? null) : null;
  const payload = page.session?.claim?.payload ?? null;
  return (
    <ViewContext.Provider value={{ page, state, table }}>
      <BenchContext.Provider value={{ page, state, table, payload }}>{typeof children === "function" ? children() : children}</BenchContext.Provider>
    </ViewContext.Provider>
  );
}

export function App({ page, onParts }: { page: Page; onParts: (parts: Parts) => void }) {
  const root = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const decoders = useRef<HTMLDivElement>(null);
  const region = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (root.current && canvas.current && decoders.current && region.current) {
      onParts({ root: root.current, canvas: canvas.current, decoders: decoders.current, region: region.current });
    }
  }, []);
  return (
    <Live page={page}>
      <ViewContext.Consumer>
        {(view) => {
          const { screen, dialog } = view?.state ?? page.store.get();
          const atWork = screen.is === "judging" || screen.is === "starting";
          return (
            <>
              {!atWork && <Screen />}
              {/* The bench stays in the page, hidden: its canvas and decoders live as long as the page. */}
              <div class="bench" data-scrub-root ref={root} hidden={!atWork}>
                <section class="bench-player" aria-label="Video" tabIndex={-1} ref={region}>
                  <Stage canvas={canvas} decoders={decoders} />
                  <Timeline />
                  <Transport />
                </section>
                <div class="bench-side">
                  <Remark standing={view?.state.standing ?? null} onInstructions={page.openInstructions} onClose={() => void page.session?.closeNotice()} />
                  <Brief />
                  <Marking />
                </div>
                <Spoken />
              </div>
              {dialog === "keys" && <KeysDialog />}
              {dialog === "report" && <ReportDialog />}
            </>
          );
        }}
      </ViewContext.Consumer>
    </Live>
  );
}
