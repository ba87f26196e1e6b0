/** The whole page of one task under review, put together. */

import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Brief } from "../../marker/view/brief";
import { BenchContext } from "../../marker/view/page";
import { Transport } from "../../marker/view/stage";
import { Timeline } from "../../marker/view/timeline";
import type { ReviewPage } from "../page";
import type { ReviewState } from "../state";
import { Decide } from "./decide";
import { KeysDialog, TagDialog } from "./dialogs";
import { Lanes } from "./lanes";
import { Told } from "./told";

interface View {
  page: ReviewPage;
  state: ReviewState;
}

const ReviewContext = createContext<View | null>(null);

export function useReview(): View {
  const view = useContext(ReviewContext);
  if (!view) throw new Error("outside of the review");
  return view;
}

/** Gives its children both states, again whenever one changes. */
function Live({ page, children }: { page: ReviewPage; children: ComponentChildren }) {
  const [state, setState] = useState(page.store.get());
  const [bench, setBench] = useState(page.bench.get());
  useEffect(() => {
    setState(page.store.get());
    setBench(page.bench.get());
    const stops = [page.store.subscribe((now) => setState(now)), page.bench.subscribe((now) => setBench(now))];
    return () => stops.forEach((stop) => stop());
  }, [page]);
  const table = bench.task ? (page.player?.table ?? null) : null;
  return (
    <ReviewContext.Provider value={{ page, state }}>
      <BenchContext.Provider value={{ page: { store: page.bench, run: page.run }, state: bench, table, payload: page.data.payload }}>{children}</BenchContext.Provider>
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
      page.open({ root: root.current, canvas: canvas.current, decoders: decoders.current, region: region.current, reason: () => reason.current });
    }
  }, []);
  return (
    <Live page={page}>
      <div class="review" data-scrub-root ref={root}>
        <section class="review-player" aria-label="Video" tabIndex={-1} ref={region}>
          <div class="stage">
            <div class="stage-decoders" ref={decoders} aria-hidden="true" />
            <canvas class="stage-picture" data-scrub-surface ref={canvas} width={640} height={360} role="img" aria-label={`The video of: ${page.data.payload.instruction}`} />
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
      <Told />
      <Dialogs />
      <Spoken />
    </Live>
  );
}

function Waiting() {
  const { state } = useContext(BenchContext) ?? {};
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

/** What is read aloud when it changes. */
function Spoken() {
  const { state } = useReview();
  const bench = useContext(BenchContext);
  const marker = bench?.state.marker;
  const words = marker && bench?.table ? `Your answer: ${marker.outcome} at frame ${marker.at}` : "";
  return (
    <p class="sr-only" role="status">
      {state.spoken || words}
    </p>
  );
}
