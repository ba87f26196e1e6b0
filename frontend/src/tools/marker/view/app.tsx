/** The whole page of the marker. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { ToolDialogs } from "../../../work/view/dialogs";
import { Remark } from "../../../work/view/remark";
import { KEY_HELP } from "../keys";
import { REPORT } from "../texts";
import { Brief } from "./brief";
import { Marking, Spoken } from "./marking";
import { Live, PlayerContext, tableOf, type Page } from "./page";
import { Screen } from "./screens";
import { Stage, Transport } from "./stage";
import { Timeline } from "./timeline";

export interface Parts {
  root: HTMLElement;
  canvas: HTMLCanvasElement;
  decoders: HTMLElement;
  region: HTMLElement;
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
      {(view) => {
        const { state } = view;
        const isAtWork = state.screen.is === "judging" || state.screen.is === "starting";
        const player = { page, state, table: tableOf(view), payload: page.session?.claim?.payload ?? null };
        return (
          <PlayerContext.Provider value={player}>
            {!isAtWork && <Screen />}
            {/* Stays in the page while hidden: the canvas and the decoders live as long as the page. */}
            <div class="bench" data-scrub-root ref={root} hidden={!isAtWork}>
              <section class="bench-player" aria-label="Video" tabIndex={-1} ref={region}>
                <Stage canvas={canvas} decoders={decoders} />
                <Timeline />
                <Transport />
              </section>
              <div class="bench-side">
                <Remark
                  workStatus={state.workStatus}
                  onInstructions={page.openInstructions}
                  onClose={() => void page.session?.closeNotice()}
                />
                <Brief />
                <Marking />
              </div>
              <Spoken />
            </div>
            <ToolDialogs page={page} progress={state} help={KEY_HELP} report={REPORT} />
          </PlayerContext.Provider>
        );
      }}
    </Live>
  );
}
