/** The line in the header: how far, how much, how long. */

import { useEffect, useState } from "preact/hooks";
import type { Course } from "../course";
import type { QuizPlace } from "../quiz";
import { money, standing as standingWords, timeLeft } from "../words";
import { NotAccepted } from "./decisions";

export interface StatusProps {
  course: Pick<Course<unknown>, "standing" | "screen" | "lease_ends">;
  /** Where it is a question of a quiz, which has no lease. */
  quiz: QuizPlace | null;
  serverNow: () => number;
  onKeys: () => void;
  onInstructions: () => void;
}

export function Status({ course: { standing, screen, lease_ends }, quiz, serverNow, onKeys, onInstructions }: StatusProps) {
  const isWorking = screen.is === "judging";
  const where = quiz?.where ?? null;
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <p class="status-line">
        {standing && isWorking && <span>{standingWords(standing.progress)}</span>}
        {standing && (
          <span>
            earned {money(standing.earned)} <NotAccepted decisions={standing.decisions} />
          </span>
        )}
        {where && <span>{where}</span>}
        {isWorking && !where && lease_ends !== null && <span>{timeLeft((lease_ends - serverNow()) / 1000)}</span>}
      </p>
      <button type="button" class="btn btn-quiet btn-keys" onClick={onKeys}>
        Keys <kbd>?</kbd>
      </button>
      <button type="button" class="btn btn-quiet" onClick={onInstructions}>
        Instructions
      </button>
    </>
  );
}
