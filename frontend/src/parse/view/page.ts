/** What every part of the page can reach. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Store } from "../../shared/store";
import type { Command } from "../keys";
import type { Checked } from "../payload";
import type { Quiz } from "../quiz";
import type { Session } from "../session";
import type { Action, ParseState } from "../state";

export interface Page {
  store: Store<ParseState, Action>;
  run: (command: Command) => void;
  session: Session;
  openInstructions: () => void;
  /** Where a paused or blocked worker asks to be looked at again, if there is such a place. */
  appealUrl: string | null;
  /** Where the step is a question of a quiz. */
  quiz: Quiz | null;
  /** What is wrong with a form, and how it reads. */
  check: (text: string, form: unknown) => Promise<Checked>;
  schemaUrl: string;
}

export interface View {
  page: Page;
  state: ParseState;
}

export const ViewContext = createContext<View | null>(null);

export function useView(): View {
  const view = useContext(ViewContext);
  if (!view) throw new Error("outside of the page");
  return view;
}
