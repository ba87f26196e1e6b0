/** The objects that every part of the page can reach. */

import type { ToolPage } from "../../../work/mount";
import { createView } from "../../../work/view/live";
import type { Command } from "../keys";
import type { Checked } from "../payload";
import type { Quiz } from "../quiz";
import type { Session } from "../session";
import type { Action, ParseState } from "../state";

export interface Page extends ToolPage<ParseState, Action, Quiz> {
  run: (command: Command) => void;
  session: Session;
  /** Checks a form: its faults and how it reads. */
  check: (text: string, form: unknown) => Promise<Checked>;
  schemaUrl: string;
}

export const { Live, useView } = createView<Page, ParseState>();
