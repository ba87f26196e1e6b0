/** The page that replaces the task: nothing left, refused, or the time is over. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ReportKind } from "../api";
import { money } from "../formats";
import { LookAgain } from "./again";
import type { WorkProgress } from "../progress";
import { screenWords, type TaskNoun } from "../texts";
import { SummaryPanel } from "./summary";

export interface ScreenProps {
  page: {
    session: {
      start(): Promise<void>;
      takeNew(): Promise<void>;
      report(problem: ReportKind, text: string): Promise<void>;
      lookAgain(): Promise<void>;
    } | null;
    openInstructions: () => void;
    appealUrl: string | null;
  };
  progress: Pick<WorkProgress<unknown>, "screen" | "workStatus" | "summary" | "again">;
  noun: TaskNoun;
  /** The answer that a lost lease leaves behind, to read and to copy; null where there is none. */
  answer: ComponentChildren;
  /** Sends that answer all the same. */
  onSendAnyway: () => void;
  /** The report that one button sends about a task that cannot be shown. */
  report?: readonly [problem: ReportKind, text: string];
}

export function Screen({
  page,
  progress: { screen, workStatus, summary, again },
  noun,
  answer,
  onSendAnyway,
  report = ["other", ""],
}: ScreenProps) {
  const { session } = page;
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), [screen.is]);
  const { title, text, action } = screenWords(screen, workStatus ? money(workStatus.earned) : null, noun);
  const on = {
    again: () => void session?.start(),
    new: () => void session?.takeNew(),
    instructions: page.openInstructions,
    report: () => void session?.report(...report),
  };
  return (
    <section class="screen card">
      <h1 tabIndex={-1} ref={head}>
        {title}
      </h1>
      <p>{text}</p>
      {screen.is === "finished" && summary && <SummaryPanel summary={summary} />}
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
        {screen.is === "finished" && <LookAgain again={again} session={session} look="btn" />}
        {screen.is === "refused" && ["paused", "worker_blocked"].includes(screen.code) && page.appealUrl && (
          <a class="btn" href={page.appealUrl}>
            Ask us to look again
          </a>
        )}
        {screen.is === "lost" && answer && (
          <button type="button" class="btn" onClick={onSendAnyway}>
            Try to send it anyway
          </button>
        )}
      </div>
    </section>
  );
}
