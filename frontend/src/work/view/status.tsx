/** The line in the header: tasks, earnings and time left. */

import { useEffect, useState } from "preact/hooks";
import type { WorkProgress } from "../progress";
import type { QuizPlace } from "../quiz";
import { money, taskPosition, timeLeft } from "../formats";
import { NotAccepted } from "./decisions";

export interface StatusProps {
  progress: Pick<WorkProgress<unknown>, "workStatus" | "screen" | "lease_ends">;
  /** The question of a quiz, which has no lease. */
  quiz: QuizPlace | null;
  serverNow: () => number;
  onKeys: () => void;
  onInstructions: () => void;
}

export function Status({
  progress: { workStatus, screen, lease_ends },
  quiz,
  serverNow,
  onKeys,
  onInstructions,
}: StatusProps) {
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
        {workStatus && isWorking && <span>{taskPosition(workStatus.progress)}</span>}
        {workStatus && (
          <span>
            <a class="status-earned" href="summary/" target="_blank" rel="noopener" title="Your work here">
              earned {money(workStatus.earned)}
            </a>{" "}
            <NotAccepted decisions={workStatus.decisions} />
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
