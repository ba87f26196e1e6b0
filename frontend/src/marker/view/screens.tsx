/** What stands there when there is nothing to judge. */

import { useEffect, useRef } from "preact/hooks";
import { money, place } from "../../shared/words";
import { screenWords, SIGN, type ScreenWords } from "../copy";
import { useView } from "./page";

export function Screen() {
  const { page, state, table } = useView();
  const { screen, standing, marker } = state;
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), [screen.is]);
  const words = screenWords(screen, standing ? money(standing.earned) : null);
  const act = (does: NonNullable<ScreenWords["action"]>["does"]): void => {
    const { session } = page;
    if (does === "instructions") page.openInstructions();
    else if (does === "new") void session?.takeNew();
    else if (does === "report") void session?.report("video_broken", "frame table");
    // The server knows which page comes next: consent, quiz or work.
    else if (screen.is === "refused") location.reload();
    else void session?.start();
  };
  const { action } = words;
  return (
    <section class="screen card">
      <h1 tabIndex={-1} ref={head}>
        {words.title}
      </h1>
      <p>{words.text}</p>
      {screen.is === "lost" && marker && table && (
        <p class="screen-answer">
          <b aria-hidden="true">{SIGN[marker.outcome]}</b> {marker.outcome}, {place(table.start(marker.at), marker.at, table.last)}
        </p>
      )}
      <div class="row">
        {action && (
          <button type="button" class="btn btn-primary" onClick={() => act(action.does)}>
            {action.label}
          </button>
        )}
        {screen.is === "refused" && ["paused", "worker_blocked"].includes(screen.code) && page.appealUrl && (
          <a class="btn" href={page.appealUrl}>
            Ask us to look again
          </a>
        )}
        {screen.is === "lost" && marker && (
          <button type="button" class="btn" onClick={() => page.session?.sendAnyway()}>
            Try to send it anyway
          </button>
        )}
      </div>
    </section>
  );
}
