/** The line in the header: how far, how much, how long. */

import { useEffect, useState } from "preact/hooks";
import { money, standing as standingWords, timeLeft } from "../words";
import type { Standing } from "../work";

export interface StatusProps {
  standing: Standing | null;
  isWorking: boolean;
  /** `Question 3 of 4` where it is a quiz, which has no lease. */
  where: string | null;
  lease_ends: number | null;
  serverNow: () => number;
  onKeys: () => void;
  onInstructions: () => void;
}

export function Status({ standing, isWorking, where, lease_ends, serverNow, onKeys, onInstructions }: StatusProps) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <p class="status-line">
        {standing && isWorking && <span>{standingWords(standing.progress)}</span>}
        {standing && <span>earned {money(standing.earned)}</span>}
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
