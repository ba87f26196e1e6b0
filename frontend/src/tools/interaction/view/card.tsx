/** The card with the current question: start, a question of the assistant, or how the command went. */

import { BACK } from "../live";
import { minutes } from "../texts";
import { foundOf } from "../pointing";
import { LONGEST_WORDS } from "../state";
import type { Question } from "../connection/wire";
import { useView } from "./page";

export function Card() {
  const { state } = useView();
  const { live } = state;
  if (live.phase === "before") return <StartCard />;
  if (live.question) return <QuestionCard question={live.question} />;
  if (live.ask) return <AskCard />;
  return null;
}

function StartCard() {
  const { page, state } = useView();
  const { live } = state;
  const start = (): void => {
    if (!live.isStarting) page.session.send({ type: "start", body: {} });
  };
  return (
    <section class="live-card" data-card="start" tabIndex={-1} aria-label="Start">
      <p>
        Press Start when you have read the instructions. The clock runs for {live.isEvaluation ? "" : "at least "}
        {minutes(live.clock.minimum_s)}.
      </p>
      <button type="button" class="btn btn-primary" data-start aria-disabled={live.isStarting} onClick={start}>
        {live.isStarting ? "Starting …" : "Start"}
      </button>
    </section>
  );
}

function AskCard() {
  const { page, state } = useView();
  const { ask } = state.live;
  if (!ask) return null;
  const isOff = ask.given !== null;
  return (
    <section class="live-card" key={ask.question} data-card="ask" tabIndex={-1} aria-labelledby="live-ask">
      <p class="live-card-ask" id="live-ask">
        {ask.text}
      </p>
      {ask.point && <p class="small muted">What the assistant means is flashing in the world.</p>}
      <div class="live-choices">
        {ask.choices.map((label, index) => (
          <Choice
            key={index}
            label={label}
            index={index}
            isGiven={ask.given === index}
            isOff={isOff}
            onPick={() => page.choose(index)}
          />
        ))}
      </div>
    </section>
  );
}

function QuestionCard({ question }: { question: Question & { given: number | null } }) {
  const { page, state } = useView();
  const { writing } = state;
  const { command } = state.live;
  const isOff = question.given !== null;
  return (
    <section
      class="live-card"
      key={`${question.command}:${question.node}`}
      data-card="question"
      data-node={question.node}
      tabIndex={-1}
      aria-labelledby="live-question"
    >
      {command?.id === question.command && (
        <p class="live-card-of small muted" dir="auto" data-asked>
          You asked: “{command.text}”
        </p>
      )}
      <p class="live-card-ask" id="live-question">
        {question.ask}
      </p>
      {question.help && <p class="small muted">{question.help}</p>}
      {question.show === "parse" && question.parse && (
        <blockquote class="live-parse" data-parse>
          {question.parse}
        </blockquote>
      )}
      {question.show === "object" && <Objects question={question} />}
      {writing ? (
        <Words choice={writing.choice} text={writing.text} isOff={isOff} />
      ) : (
        <div class="live-choices">
          {question.choices.map(({ label }, index) => (
            <Choice
              key={index}
              label={label}
              index={index}
              isGiven={question.given === index}
              isOff={isOff}
              onPick={() => page.choose(index)}
            />
          ))}
        </div>
      )}
      {(question.can_go_back || writing) && (
        <button type="button" class="btn btn-link" data-back aria-disabled={isOff} onClick={page.back}>
          {question.given === BACK ? "Going back …" : "← Back"}
        </button>
      )}
    </section>
  );
}

/** The second press of a double click is ignored: the next question may already be under it. */
function Choice({
  label,
  index,
  isGiven,
  isOff,
  onPick,
}: {
  label: string;
  index: number;
  isGiven: boolean;
  isOff: boolean;
  onPick: () => void;
}) {
  return (
    <button
      type="button"
      class="btn live-choice"
      data-choice={index}
      aria-pressed={isGiven}
      aria-disabled={isOff}
      onClick={({ detail }) => !isOff && detail < 2 && onPick()}
    >
      <span>{label}</span>
      {index < 9 && <kbd>{index + 1}</kbd>}
    </button>
  );
}

/** The text field of a choice that asks for the worker's own words. */
function Words({ choice, text, isOff }: { choice: number; text: string; isOff: boolean }) {
  const { page } = useView();
  const { dispatch } = page.store;
  return (
    <form
      class="live-words"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isOff) page.choose(choice);
      }}
    >
      <label class="field">
        <span>In your own words</span>
        <textarea
          rows={2}
          dir="auto"
          maxLength={LONGEST_WORDS}
          value={text}
          data-card-words
          ref={focusOnce}
          onInput={(event) => dispatch({ type: "words", text: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        />
      </label>
      <button type="submit" class="btn btn-primary" data-send-words aria-disabled={isOff || !text.trim()}>
        {isOff ? "Sending …" : "Send"}
      </button>
    </form>
  );
}

const focusOnce = (field: HTMLTextAreaElement | null): void => field?.focus();

/** The objects that the assistant understood. Each can be shown; missing ones are named. */
function Objects({ question }: { question: Question }) {
  const { page, state } = useView();
  const objects = question.objects ?? [];
  const shown = foundOf(objects, state.looksAt);
  const found = objects.filter(({ voxels }) => voxels.length > 0).length;
  return (
    <ul class="live-objects" data-objects>
      {objects.map((object, index) => (
        <li key={index}>
          {object.voxels.length === 0 ? (
            <span data-found="0">It found nothing called “{object.phrase}”.</span>
          ) : found === 1 ? (
            <span data-found={object.voxels.length}>“{object.phrase}” is flashing in the world.</span>
          ) : (
            <button
              type="button"
              class="btn btn-small"
              aria-pressed={object === shown}
              data-found={object.voxels.length}
              onClick={() => page.store.dispatch({ type: "look_at", thing: index })}
            >
              {object === shown ? "Flashing" : "Show"}: “{object.phrase}”
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
