/** The talk with the assistant: lines, status of the command, the open card, and the text field. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { hintOf, presenceWords, remarkOf, STATUS_WORDS } from "../texts";
import type { TalkLine } from "../live";
import { hindranceOf, isAtWork, mayStop, STATUSES, statusOf, statusTurnsIn } from "../session_status";
import { commandOf, LONGEST_COMMAND } from "../state";
import { Card } from "./card";
import { Advice } from "./light";
import { useNow, useView } from "./page";
import { focusTalk } from "./places";

export function Talk() {
  const { state } = useView();
  const { live } = state;
  const presence = presenceWords(live);
  return (
    <section class="live-talk card" aria-label="Talk with the assistant" data-talk>
      <header class="live-talk-head">
        <h2>Assistant</h2>
        <span class={`badge ${live.line.isUp && live.agent === "here" ? "badge-good" : "badge-warn"}`} data-presence>
          {!live.line.isUp
            ? "✕ no connection"
            : live.agent === "here"
              ? "✓ here"
              : live.agent === "away"
                ? "✕ away"
                : "… not here yet"}
        </span>
      </header>
      <p class={`live-presence small ${live.line.isUp ? "" : "is-bad"}`} role="status" data-connection>
        {presence || remarkOf(state)}
      </p>
      <Lines />
      <Statuses />
      <Card />
      <Advice />
      <Composer />
    </section>
  );
}

function Lines() {
  const { talk, question, ask, scores } = useView().state.live;
  const list = useRef<HTMLOListElement>(null);
  // Keeps the newest line in view, also when a card or advice takes some of the room.
  useLayoutEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [talk.length, question, ask, scores]);
  return (
    <ol class="live-lines" ref={list} tabIndex={0} aria-label="What was said" data-lines>
      {talk.map((line) => (
        <li key={line.key} class={`live-line is-${line.who}`} data-who={line.who} data-went={line.went ?? undefined}>
          <span class="sr-only">{{ you: "You: ", assistant: "Assistant: ", page: "" }[line.who]}</span>
          <span class="live-bubble" dir="auto">
            {line.text}
          </span>
          <Went line={line} />
        </li>
      ))}
    </ol>
  );
}

const WENT = { going: "", done: "✓ done", failed: "✕ not done", stopped: "■ stopped" } as const;

function Went({ line }: { line: TalkLine }) {
  return line.went && WENT[line.went] ? <span class="live-went">{WENT[line.went]}</span> : null;
}

/** The line is always there, so nothing moves when a status appears. */
function Statuses() {
  const { live } = useView().state;
  const now = useNow(statusTurnsIn(live, Date.now()));
  const status = statusOf(live, now);
  const at = status ? STATUSES.indexOf(status) : -1;
  return (
    <ol class="live-statuses" aria-label="How far your command is" data-status={status ?? ""}>
      {STATUSES.slice(0, at + 1).map((one, index) => (
        <li key={one} class={index < at ? "is-passed" : "is-now"} data-step={one}>
          {index < at ? STATUS_WORDS[one].passed : STATUS_WORDS[one].now}
        </li>
      ))}
    </ol>
  );
}

function Composer() {
  const { page, state } = useView();
  const { live, text } = state;
  const now = useNow(live.isEvaluation && live.phase === "running" ? 1000 : null);
  const hindrance = hindranceOf(live, now);
  // The prompt is hidden while no command can be given: the next command has its own prompt, and after the time there
  // is none.
  const prompt = hindrance === null || hindrance === "no_agent" ? live.prompt : null;
  const send = (event: Event): void => {
    event.preventDefault();
    const command = commandOf(page.store.get(), () => crypto.randomUUID(), Date.now());
    if (!command) return;
    page.store.dispatch({ type: "write", text: "" });
    page.session.send(command);
    // The button that was pressed may now be disabled.
    focusTalk();
  };
  const isWorking = isAtWork(live);
  return (
    <form class="live-composer" onSubmit={send} autocomplete="off">
      {prompt && (
        <p class="live-prompt" data-prompt>
          <b>Say it in your own words:</b> {prompt}
        </p>
      )}
      <label class="sr-only" for="live-command">
        Your command to the assistant
      </label>
      <input
        id="live-command"
        type="text"
        dir="auto"
        maxLength={LONGEST_COMMAND}
        placeholder={hindrance ? "" : "Type a command …"}
        value={text}
        readOnly={hindrance !== null}
        aria-disabled={hindrance !== null}
        aria-describedby="live-hint"
        enterkeyhint="send"
        data-command
        onInput={(event) => page.store.dispatch({ type: "write", text: event.currentTarget.value })}
      />
      <div class="live-composer-row">
        <p class="small muted" id="live-hint" data-hint={hindrance ?? ""}>
          {hintOf(hindrance)}
        </p>
        {isWorking && (
          <button
            type="button"
            class="btn btn-danger"
            data-stop
            aria-disabled={!mayStop(live)}
            onClick={() =>
              live.command && mayStop(live) && page.session.send({ type: "stop", body: { command: live.command.id } })
            }
          >
            {live.command?.isStopping ? "Stopping …" : "■ Stop"}
          </button>
        )}
        <button type="submit" class="btn btn-primary" data-send aria-disabled={hindrance !== null || !text.trim()}>
          Send <kbd>⏎</kbd>
        </button>
      </div>
    </form>
  );
}
