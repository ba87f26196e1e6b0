/** The objects that every part of the page can reach. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ToolPage } from "../../../work/mount";
import type { Store } from "../../../work/store";
import { createView, type View } from "../../../work/view/live";
import type { Run } from "../commands";
import type { FrameTable } from "../frames";
import type { Quiz } from "../quiz";
import type { Payload } from "../payload";
import type { Session } from "../session";
import type { Action, MarkerState } from "../state";

/** The context of the timeline, the controls and the brief. The review page provides it too. */
export interface PlayerPage {
  store: Store<MarkerState, Action>;
  run: Run;
}

export type Page = ToolPage<MarkerState, Action, Quiz> & PlayerPage & { session: Session | null };

/** The player page with its state and task. */
export interface PlayerView {
  page: PlayerPage;
  state: MarkerState;
  table: FrameTable | null;
  payload: Payload | null;
}

export const PlayerContext = createContext<PlayerView | null>(null);

export function usePlayer(): PlayerView {
  const view = useContext(PlayerContext);
  if (!view) throw new Error("outside of the player");
  return view;
}

const view = createView<Page, MarkerState>();

export const { Live } = view;

export interface MarkerView extends View<Page, MarkerState> {
  /** The frames of the current video; null if there is none. */
  table: FrameTable | null;
}

export const tableOf = ({ page, state }: View<Page, MarkerState>): FrameTable | null =>
  state.task ? (page.session?.player?.table ?? null) : null;

export function useView(): MarkerView {
  const found = view.useView();
  return { ...found, table: tableOf(found) };
}
