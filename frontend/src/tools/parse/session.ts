/** The work session of the parse tool. Steps are independent, so nothing is loaded ahead. */

import { WorkSession, type TaskInHand } from "../../work/session";
import type { BrowserStorage } from "../../work/storage";
import type { Store } from "../../work/store";
import type { WorkApi } from "../../work/api";
import { newerDraft } from "./drafts";
import type { Answer, Claim, Draft } from "./payload";
import type { Action, ParseState } from "./state";

export class Session extends WorkSession<Claim, Answer, Draft> {
  constructor(
    api: WorkApi<Claim, Answer, Draft>,
    protected override readonly store: Store<ParseState, Action>,
    keep: BrowserStorage,
    focusTask: () => void,
  ) {
    super(api, store, keep, focusTask);
    store.subscribe((now, before) => this.follow(now, before));
  }

  /** A step cannot be corrected, because the next one follows from it; a whole form can. */
  protected override mayLookAgain({ payload }: Claim): boolean {
    return payload.node === null;
  }

  protected prepare(claim: Claim): TaskInHand<Claim, Draft> {
    return { claim, draft: newerDraft(claim, this.drafts.local(claim.assignment)) };
  }

  protected show({ claim, draft }: TaskInHand<Claim, Draft>): void {
    this.store.dispatch({
      type: "task",
      task: { assignment: claim.assignment, payload: claim.payload },
      answers: draft?.answers ?? {},
      at: draft?.at ?? 0,
      form: draft?.form ?? claim.payload.so_far.form,
      lease_ends: Date.parse(claim.lease_expires_at),
    });
  }

  protected draftNow(active_s: number, saved_at: string): Draft {
    const { answers, at, task, form } = this.store.get();
    return { answers, at, ...(task?.payload.node === null ? { form } : {}), active_s, saved_at };
  }

  private follow(now: ParseState, before: ParseState): void {
    if (now.outgoing && !before.outgoing) {
      this.autosave.persist();
      void this.submit(now.outgoing);
    }
    if (now.screen.is !== "judging" || now.task !== before.task || now.outgoing || now.sending.is !== "idle") return;
    if (now.answers !== before.answers || now.at !== before.at || now.form !== before.form) this.autosave.saveSoon();
  }
}
