/** The work session of the voxel tool. Scenes are independent, so nothing is loaded ahead. */

import { WorkSession, type TaskInHand } from "../../work/session";
import type { BrowserStorage } from "../../work/storage";
import type { Store } from "../../work/store";
import type { WorkApi } from "../../work/api";
import { beforeOf, newerDraft, sparing } from "./drafts";
import type { Answer, Claim, Draft } from "./payload";
import { toRuns } from "./marking/runs";
import { FIRST_TOOL } from "./marking/tools";
import type { Action, VoxelState } from "./state";

export class Session extends WorkSession<Claim, Answer, Draft> {
  constructor(
    api: WorkApi<Claim, Answer, Draft>,
    protected override readonly store: Store<VoxelState, Action>,
    keep: BrowserStorage,
    focusTask: () => void,
  ) {
    super(sparing(api), store, keep, focusTask);
    store.subscribe((now, before) => this.follow(now, before));
  }

  protected override mayLookAgain(): boolean {
    return true;
  }

  protected prepare(claim: Claim): TaskInHand<Claim, Draft> {
    return { claim, draft: newerDraft(claim, this.drafts.local(claim.assignment)) };
  }

  protected show({ claim, draft }: TaskInHand<Claim, Draft>): void {
    const [x, y, z] = claim.payload.scene.size;
    this.store.dispatch({
      type: "task",
      task: { assignment: claim.assignment, payload: claim.payload },
      before: beforeOf(draft, x * y * z),
      text: draft?.text ?? "",
      isNothing: draft?.absent ?? false,
      lease_ends: Date.parse(claim.lease_expires_at),
    });
  }

  protected draftNow(active_s: number, saved_at: string): Draft {
    const { marking, text, isNothing } = this.store.get();
    return {
      marks: toRuns(marking?.marks ?? []),
      absent: isNothing || (marking?.isAbsent ?? false),
      tool: marking?.tool ?? FIRST_TOOL,
      camera: marking?.camera ?? null,
      text,
      active_s,
      saved_at,
    };
  }

  private follow(now: VoxelState, before: VoxelState): void {
    if (now.outgoing && !before.outgoing) {
      this.autosave.persist();
      void this.submit(now.outgoing);
    }
    if (now.screen.is !== "judging" || now.task !== before.task || now.outgoing || now.sending.is !== "idle") return;
    const [marking, old] = [now.marking, before.marking];
    if (
      now.text !== before.text ||
      now.isNothing !== before.isNothing ||
      marking?.marks !== old?.marks ||
      marking?.isAbsent !== old?.isAbsent
    )
      this.autosave.saveSoon();
    else if (marking?.camera !== old?.camera || marking?.tool !== old?.tool) this.autosave.saveLater();
  }
}
