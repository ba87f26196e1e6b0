/** One step of a command: the command, the form so far, and the current question. */

import { useEffect, useState } from "preact/hooks";
import { Remark } from "../../../work/view/remark";
import type { Payload } from "../payload";
import type { Runs } from "../spans";
import { asked, current, mayAnswer, toCorrect } from "../state";
import { Correct } from "./correct";
import { Outline } from "./outline";
import { useView } from "./page";
import { Question } from "./question";
import { Tokens } from "./tokens";
import { Ways } from "./ways";

const SPEAKERS: Record<string, string> = { worker: "The worker", assistant: "The assistant" };

export function Context({ lines }: { lines: Payload["context"] }) {
  if (lines.length === 0) return null;
  return (
    <section class="turns" aria-label="What was said before" tabIndex={0}>
      <h2 class="part-head">Before this</h2>
      <ol>
        {lines.map((line, index) => (
          <li key={index}>
            <b>{SPEAKERS[line.speaker] ?? line.speaker}:</b> <bdi>{line.text}</bdi>
          </li>
        ))}
      </ol>
    </section>
  );
}

export function Step({ payload }: { payload: Payload }) {
  const { page, state } = useView();
  const [lit, setLit] = useState<Runs>([]);
  const question = current(state);
  const value = question ? state.answers[question.id] : undefined;
  const isSpans = question?.kind === "spans";
  useEffect(() => setLit([]), [payload]);
  const correcting = toCorrect(payload);
  const hasMore = !correcting && payload.so_far.words !== "";
  const questions = asked(payload, state.answers);
  return (
    <div
      class={`parse ${hasMore ? "" : "is-alone"}`}
      data-parse
      data-assignment={state.task?.assignment}
      data-step={payload.node?.step ?? payload.node?.path ?? ""}
    >
      <div class="parse-main">
        <Remark
          workStatus={state.workStatus}
          onInstructions={page.openInstructions}
          onClose={() => void page.session.closeNotice()}
        />
        {page.quiz?.ask && <p class="quiz-asks">{page.quiz.ask}</p>}
        <Context lines={payload.context} />
        {correcting && <h1 class="sr-only">The worker said “{payload.tokens.join(" ")}”</h1>}
        {!correcting && (
          <section class="command card" aria-label="The command">
            <h1 class="part-head">The worker said</h1>
            <Tokens
              tokens={payload.tokens}
              runs={isSpans ? ((value ?? []) as Runs) : []}
              known={payload.node?.words ?? []}
              lit={lit}
              isOn={isSpans && mayAnswer(state)}
              label={isSpans && question ? question.ask : "The words of the command"}
              onRuns={(runs, isFirst) => page.store.dispatch({ type: "runs", runs, isFirst })}
            />
          </section>
        )}
        <section class="asking card" aria-label="The question" tabIndex={-1} data-asking>
          {!correcting && <Trail node={payload.node} at={state.at} of={questions.length} />}
          <div class="asking-body">
            {correcting ? (
              <Correct tokens={payload.tokens} guess={correcting} />
            ) : question ? (
              <Question key={question.id} question={question} value={value} />
            ) : (
              <p>There is nothing to ask here. Press “Done”.</p>
            )}
          </div>
          <Ways />
        </section>
      </div>
      {hasMore && (
        <section class="so-far card" aria-label="So far" tabIndex={0}>
          <h2 class="part-head">So far</h2>
          <p class="so-far-words" dir="auto" data-so-far>
            {payload.so_far.words}
          </p>
          <Outline tokens={payload.tokens} lines={payload.so_far.outline} onLit={setLit} />
        </section>
      )}
    </div>
  );
}

function Trail({ node, at, of }: { node: Payload["node"]; at: number; of: number }) {
  // The part that is asked about, and nothing of the way to it.
  const place = node && node.path !== "" ? node.noun : "";
  return (
    <p class="trail" data-trail>
      {place && <span class="trail-here">About: {place}</span>}
      {of > 1 && (
        <span class="trail-count">
          {at + 1} of {of}
        </span>
      )}
    </p>
  );
}
