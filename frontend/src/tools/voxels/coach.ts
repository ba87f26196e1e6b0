/** The steps that the coach of the voxel tool's practice asks for. */

import type { CoachStep } from "../../work/practice";
import type { VoxelState } from "./state";

const LOOK: CoachStep<VoxelState> = {
  say: "Look around: pull the picture with the mouse or a finger.",
  isDone: ({ marking: now }, { marking: before }) => now !== null && before !== null && now.camera !== before.camera,
};

const MARKING: readonly CoachStep<VoxelState>[] = [
  LOOK,
  {
    say: "Press the thing that is asked for. One press marks the whole thing. By keys: Tab goes to it, Enter marks it.",
    isDone: ({ marking: now }, { marking: before }) => now !== null && before !== null && now.marks !== before.marks,
  },
  { say: "Is all of it marked, and nothing else? Then press Done, or Ctrl and Enter.", isDone: () => false },
];

const NAMING: readonly CoachStep<VoxelState>[] = [
  LOOK,
  {
    say: "Type a short name for what you see, such as its colour and what it is.",
    isDone: (now, before) => now.text !== before.text,
  },
  { say: "Press Enter when the name is there.", isDone: () => false },
];

export const coachFor = (isNaming: boolean): readonly CoachStep<VoxelState>[] => (isNaming ? NAMING : MARKING);
