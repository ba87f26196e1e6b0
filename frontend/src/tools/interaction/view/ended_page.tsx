/** The page after the end of a session, or while it is open elsewhere. */

import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { money } from "../../../work/formats";
import { SummaryPanel } from "../../../work/view/summary";
import { closedWords, endWords } from "../texts";
import { bonusAtEnd } from "../light";
import { useView } from "./page";

export function Ended() {
  const { page, state } = useView();
  const head = useHeading();
  const { reason, light, scores } = state.live;
  const { title, text } = endWords(reason, state.workStatus ? money(state.workStatus.earned) : null);
  const bonus = bonusAtEnd(reason, light, scores.at(-1) ?? null);
  return (
    <section class="screen card" data-ended={reason ?? ""}>
      <h1 tabIndex={-1} ref={head}>
        {title}
      </h1>
      <p>{text}</p>
      {bonus && <p data-expected-bonus>{bonus}</p>}
      {state.summary && <SummaryPanel summary={state.summary} />}
      <div class="row">
        <button type="button" class="btn btn-primary" data-more onClick={() => void page.session.takeNew()}>
          Look for another session
        </button>
      </div>
    </section>
  );
}

export function Closed({ code }: { code: number }) {
  const { page } = useView();
  const head = useHeading();
  const { title, text, button, does } = closedWords(code);
  return (
    <section class="screen card" data-closed={code}>
      <h1 tabIndex={-1} ref={head}>
        {title}
      </h1>
      <p>{text}</p>
      <div class="row">
        <button
          type="button"
          class="btn btn-primary"
          data-continue
          onClick={() => (does === "here" ? page.session.continueHere() : location.reload())}
        >
          {button}
        </button>
      </div>
    </section>
  );
}

function useHeading(): RefObject<HTMLHeadingElement | null> {
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), []);
  return head;
}
