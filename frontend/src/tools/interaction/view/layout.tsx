/** Capabilities, world and talk side by side; on a phone one below the other. */

import { useState } from "preact/hooks";
import { groupsOf } from "../capabilities";
import { useView } from "./page";
import { Talk } from "./talk";
import { WorldPart } from "./world";

export function Layout({ isHidden }: { isHidden: boolean }) {
  const { state } = useView();
  return (
    <div class="live" data-live data-phase={state.live.phase} hidden={isHidden}>
      <h1 class="sr-only">Command the assistant</h1>
      <Capabilities />
      <WorldPart isHidden={isHidden} />
      <Talk />
    </div>
  );
}

function Capabilities() {
  const { page, state } = useView();
  // On a phone the list would take the room of the talk, so it starts closed.
  const [isOpen] = useState(() => !matchMedia("(max-width: 860px)").matches);
  const groups = groupsOf(state.task?.payload.capabilities ?? []);
  return (
    <aside class="live-can" aria-label="What the assistant can do">
      <details class="card" open={isOpen} data-capabilities>
        <summary>The assistant can</summary>
        <div class="live-can-scroll" tabIndex={0} role="group" aria-label="All that it can do">
          {groups.map(({ title, all }) => (
            <section key={title}>
              <h2>{title}</h2>
              <dl>
                {all.map(({ word, example }) => (
                  <div key={word}>
                    <dt>{word.toLowerCase()}</dt>
                    {example && <dd>“{example}”</dd>}
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </details>
      <button
        type="button"
        class="btn btn-link live-leave"
        data-leave
        onClick={() => page.store.dispatch({ type: "leaving", isOpen: true })}
      >
        Leave early
      </button>
    </aside>
  );
}
