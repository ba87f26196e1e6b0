/** World and chat of a session side by side, with one clock for both. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { focusOf } from "../../../work/focus";
import type { Store } from "../../../work/store";
import { linesOf } from "../chat";
import type { Playback } from "../playback";
import { commandOf, KEY_HELP } from "../keys";
import type { WorldPicture } from "../picture";
import type { Action, Replay } from "../state";
import { Chat } from "./chat";
import { Controls } from "./controls";
import { Now } from "./now";
import { World } from "./world";
import { KeyList } from "../../../work/view/key_list";

interface Props {
  store: Store<Replay, Action>;
  playback: Playback;
}

export function App({ store, playback }: Props) {
  const [state, setState] = useState(store.get());
  useLayoutEffect(() => store.subscribe(setState), [store]);
  const [fault, setFault] = useState("");
  useEffect(() => playback.onFault(setFault), [playback]);
  const picture = useRef<WorldPicture | null>(null);
  const { timeline } = state;
  const lines = useMemo(() => linesOf(timeline.events, timeline.times), [timeline]);
  const current = lines.findLastIndex((line) => line.count <= state.moment.count);
  // Rendered when the current line changes, not in every frame: there may be a thousand lines.
  const chat = useMemo(
    () => <Chat lines={lines} current={current} dispatch={store.dispatch} />,
    [lines, current, store],
  );

  const key = (event: KeyboardEvent): void => {
    const target = event.target instanceof HTMLElement ? event.target : null;
    const command = commandOf(event, focusOf(event.target), target?.closest("[data-replay-pane]") != null);
    if (!command) return;
    event.preventDefault();
    if (command.do === "move") picture.current?.move(command.move);
    else if (!event.repeat) store.dispatch(command.action);
  };

  return (
    <div class="replay" onKeyDown={key}>
      <World state={state} picture={picture} />
      <Controls state={state} dispatch={store.dispatch} />
      <Now state={state} />
      {chat}
      <div class="replay-foot small">
        {fault && (
          <p class="notice notice-warn" role="status">
            Nothing new comes at the moment. {fault} This page goes on asking.
          </p>
        )}
        <details>
          <summary>Keys and mouse</summary>
          <p class="muted">
            Drag the picture to turn it, with Shift to slide; the wheel goes nearer once it is chosen. While the focus
            is anywhere in the replay:
          </p>
          <KeyList help={KEY_HELP} />
        </details>
      </div>
    </div>
  );
}
