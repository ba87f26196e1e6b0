/** The whole page of one marker task under review. */

import type { ComponentChildren } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Brief } from "../../../tools/marker/view/brief";
import { PlayerContext } from "../../../tools/marker/view/page";
import { Transport } from "../../../tools/marker/view/stage";
import { Timeline } from "../../../tools/marker/view/timeline";
import type { ReviewPage } from "../page";
import { ReviewContext, useReview } from "./context";
import { Decide } from "./decide";
import { KeysDialog, TagDialog } from "./dialogs";
import { Lanes } from "./lanes";
import { Verdicts } from "./verdicts";

/** Renders the children again when the review or the marker changes. */
function Live({ page, children }: { page: ReviewPage; children: ComponentChildren }) {
  const [state, setState] = useState(page.store.get());
  const [markerState, setMarkerState] = useState(page.markerStore.get());
  useEffect(() => {
    setState(page.store.get());
    setMarkerState(page.markerStore.get());
    const stops = [
      page.store.subscribe((now) => setState(now)),
      page.markerStore.subscribe((now) => setMarkerState(now)),
    ];
    return () => stops.forEach((stop) => stop());
  }, [page]);
  const table = markerState.task ? (page.player?.table ?? null) : null;
  return (
    <ReviewContext.Provider value={{ page, state }}>
      <PlayerContext.Provider
        value={{
          page: { store: page.markerStore, run: page.run },
          state: markerState,
          table,
          payload: page.data.payload,
        }}
      >
        {children}
      </PlayerContext.Provider>
    </ReviewContext.Provider>
  );
}

export function App({ page }: { page: ReviewPage }) {
  const root = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const decoders = useRef<HTMLDivElement>(null);
  const region = useRef<HTMLElement>(null);
  const reason = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (root.current && canvas.current && decoders.current && region.current) {
      page.open({
        root: root.current,
        canvas: canvas.current,
        decoders: decoders.current,
        region: region.current,
        reason: () => reason.current,
      });
    }
  }, []);
  return (
    <Live page={page}>
      <div class="review" data-scrub-root ref={root}>
        <section class="review-player" aria-label="Video" tabIndex={-1} ref={region}>
          <div class="stage">
            <div class="stage-decoders" ref={decoders} aria-hidden="true" />
            <canvas
              class="stage-picture"
              data-scrub-surface
              ref={canvas}
              width={640}
              height={360}
              role="img"
              aria-label={`The video of: ${page.data.payload.instruction}`}
            />
            <span class="stage-note" aria-hidden="true">
              preview
            </span>
            <Waiting />
          </div>
          <Timeline />
          <Transport />
          <Lanes />
        </section>
        <div class="review-side">
          <Brief />
          <Decide reason={reason} />
        </div>
      </div>
      <Verdicts />
      <Dialogs />
      <Spoken />
    </Live>
  );
}

function Waiting() {
  const { state } = useContext(PlayerContext) ?? {};
  if (state?.video === "loading") return <p class="stage-wait">Loading the video …</p>;
  if (state?.video !== "broken") return null;
  const said = document.querySelector<HTMLElement>("[data-scrub-root]")?.dataset.error;
  return (
    <div class="stage-trouble" role="alert">
      <p>{said ?? "The description of this video contradicts itself."}</p>
      <p>You can load the page again; what you decide without the picture goes through the page without scripts.</p>
      <div class="row">
        <button class="btn btn-primary" type="button" onClick={() => location.reload()}>
          Load again
        </button>
        <a class="btn" href="?plain=1">
          Page without scripts
        </a>
      </div>
    </div>
  );
}

function Dialogs() {
  const { state } = useReview();
  if (state.dialog === "keys") return <KeysDialog />;
  return state.dialog === "tag" ? <TagDialog /> : null;
}

/** The text for screen readers. */
function Spoken() {
  const { state } = useReview();
  const markerState = useContext(PlayerContext);
  const marker = markerState?.state.marker;
  const words = marker && markerState?.table ? `Your answer: ${marker.outcome} at frame ${marker.at}` : "";
  return (
    <p class="sr-only" role="status">
      {state.spoken || words}
    </p>
  );
}
