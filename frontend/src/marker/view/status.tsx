/** The line in the header: how far, how much, how long. */

import { useEffect, useState } from "preact/hooks";
import { money, standing as standingWords, timeLeft } from "../../shared/words";
import { useView } from "./page";

export function Status({ serverNow }: { serverNow: () => number }) {
  const { page, state } = useView();
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const { standing, lease_ends, screen } = state;
  const working = screen.is === "judging";
  return (
    <>
      <p class="status-line">
        {standing && working && <span>{standingWords(standing.progress)}</span>}
        {standing && <span>earned {money(standing.earned)}</span>}
        {page.quiz && <span>{page.quiz.where}</span>}
        {working && !page.quiz && lease_ends !== null && <span>{timeLeft((lease_ends - serverNow()) / 1000)}</span>}
      </p>
      <button type="button" class="btn btn-quiet btn-keys" onClick={() => page.run({ do: "help" })}>
        Keys <kbd>?</kbd>
      </button>
      <button type="button" class="btn btn-quiet" onClick={page.openInstructions}>
        Instructions
      </button>
    </>
  );
}
