/** What stands there when there is nothing to judge. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { screenWords, type ScreenWords, type Thing } from "../copy";
import type { Screen as AnyScreen } from "../course";
import { money } from "../words";
import type { Standing } from "../work";

export interface ScreenProps {
  screen: AnyScreen;
  standing: Standing | null;
  thing: Thing;
  /** Where a paused or blocked worker asks to be looked at again, if there is such a place. */
  appealUrl: string | null;
  /** The answer that a lost lease leaves behind, to read and to copy; null where there is none. */
  answer: ComponentChildren;
  on: Record<NonNullable<ScreenWords["action"]>["does"] | "anyway", () => void>;
}

export function Screen({ screen, standing, thing, appealUrl, answer, on }: ScreenProps) {
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), [screen.is]);
  const words = screenWords(screen, standing ? money(standing.earned) : null, thing);
  const { action } = words;
  return (
    <section class="screen card">
      <h1 tabIndex={-1} ref={head}>
        {words.title}
      </h1>
      <p>{words.text}</p>
      {screen.is === "lost" && answer && <div class="screen-answer">{answer}</div>}
      <div class="row">
        {action && (
          <button
            type="button"
            class="btn btn-primary"
            // The server knows which page comes after a refusal: consent, quiz or work.
            onClick={() => (screen.is === "refused" && action.does === "again" ? location.reload() : on[action.does]())}
          >
            {action.label}
          </button>
        )}
        {screen.is === "refused" && ["paused", "worker_blocked"].includes(screen.code) && appealUrl && (
          <a class="btn" href={appealUrl}>
            Ask us to look again
          </a>
        )}
        {screen.is === "lost" && answer && (
          <button type="button" class="btn" onClick={on.anyway}>
            Try to send it anyway
          </button>
        )}
      </div>
    </section>
  );
}
