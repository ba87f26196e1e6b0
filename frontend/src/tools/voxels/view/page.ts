/** The objects that every part of the page can reach. */

import type { ToolPage } from "../../../work/mount";
import { createView } from "../../../work/view/live";
import type { Command } from "../keys";
import type { MarkingSlice } from "../marking/store_slice";
import type { Quiz } from "../quiz";
import type { Session } from "../session";
import type { Action, VoxelState } from "../state";

export interface Page extends ToolPage<VoxelState, Action, Quiz> {
  slice: MarkingSlice;
  run: (command: Command) => void;
  session: Session;
}

export const { Live, useView } = createView<Page, VoxelState>();
