/** The effect of each command, from a key, a button or a line of the transcript. */

import { toggleKeys } from "../../work/progress";
import type { Store } from "../../work/store";
import { momentAfter } from "./moments";
import { seconds } from "./units";
import { stepped } from "./zoom";
import type { Command } from "./keys";
import type { Session } from "./session";
import type { Action, MarkerState } from "./state";

export type Run = (command: Command | { do: "speed" } | { do: "to"; frame: number }) => void;

const SPEEDS = [1, 2, 4, 0.5];
const FASTEST = 4;

/** `holder` has the player: the worker's session, or a reviewer's page. */
export function runner(store: Store<MarkerState, Action>, holder: () => Pick<Session, "player"> | null): Run {
  return (command) => {
    const held = holder();
    const player = held?.player;
    const state = store.get();
    if (command.do === "help") return toggleKeys(store);
    if (!held || !player || !state.task || state.screen.is !== "judging") return;
    switch (command.do) {
      case "toggle": {
        if (state.rate !== 0) return player.stop();
        if (player.at >= player.table.last) player.seek(state.task.first);
        return player.play(state.speed);
      }
      case "shuttle": {
        const along = state.rate * command.direction > 0;
        return player.play(
          along ? Math.sign(state.rate) * Math.min(Math.abs(state.rate) * 2, FASTEST) : command.direction,
        );
      }
      case "speed": {
        const speed = SPEEDS[(SPEEDS.indexOf(state.speed) + 1) % SPEEDS.length] ?? 1;
        store.dispatch({ type: "speed", speed });
        if (state.rate > 0) player.play(speed);
        return;
      }
      case "step":
        return player.seek(player.at + command.frames);
      case "jump":
        return player.seek(player.table.away(player.at, seconds(command.seconds)));
      case "change": {
        const goal = momentAfter(player.moments, player.at, command.by);
        return goal === null ? store.dispatch({ type: "notice", notice: { is: "no_change" } }) : player.seek(goal);
      }
      case "zoom":
        return store.dispatch({ type: "zoom", zoom: stepped(state.zoom, command.by) });
      case "to":
        return player.seek(command.frame);
      case "go": {
        const goals = { first: 0, last: player.table.last, takeover: state.task.first, marker: state.marker?.at };
        const goal = goals[command.to];
        if (goal === undefined) return store.dispatch({ type: "notice", notice: { is: "no_marker" } });
        return player.seek(goal);
      }
      case "place":
        // A marker belongs to a still picture, so stop at the visible one first.
        player.stop();
        return store.dispatch({ type: "place", outcome: command.outcome });
      case "never":
        player.seek(state.task.never);
        return store.dispatch({ type: "never" });
      case "clear":
        return store.dispatch({ type: "clear" });
      case "submit":
        player.stop();
        return store.dispatch({ type: "submit" });
    }
  };
}
