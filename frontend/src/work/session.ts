/** The work session of every tool: it claims a task, submits the answer, and claims the next one. */

import { ActiveClock } from "./activity";
import { Autosave } from "./autosave";
import { refusedBy, whyOf, type WorkProgress, type ProgressAction } from "./progress";
import { WRONG } from "./practice";
import { Drafts, type Saved } from "./drafts";
import { Problem, type Retries, type RetryWait } from "./http";
import { Leases } from "./lease";
import type { BrowserStorage } from "./storage";
import type { ReportKind, WorkApi } from "./api";

/** The store of any tool, with at least these states and actions. */
export interface ProgressStore {
  get(): WorkProgress<{ is: string }>;
  dispatch(action: ProgressAction): void;
}

/** A task with its draft. A tool may add more. */
export interface TaskInHand<C, D> {
  claim: C;
  draft: D | null;
}

/** A tool defines how a task is prepared, shown and saved, and may override more. */
export abstract class WorkSession<
  C extends { assignment: string; lease_expires_at: string },
  A,
  D extends Saved,
  H extends TaskInHand<C, D> = TaskInHand<C, D>,
> {
  protected held: H | null = null;
  /** The last submitted task, while its answer can be corrected. */
  private last: { held: H; draft: D; until: number } | null = null;
  private lastEnds: ReturnType<typeof setTimeout> | undefined;
  /** Counts claims, so that only the latest answer counts: a quick worker may submit before a claim is answered. */
  private turn = 0;
  protected active = new ActiveClock(Date.now());
  protected readonly drafts: Drafts<D, A>;
  protected readonly autosave: Autosave<D>;
  protected readonly leases: Leases;

  constructor(
    protected readonly api: WorkApi<C, A, D>,
    protected readonly store: ProgressStore,
    keep: BrowserStorage,
    private readonly focusTask: () => void,
  ) {
    this.drafts = new Drafts(keep);
    this.autosave = new Autosave({
      api,
      drafts: this.drafts,
      now: () => {
        if (!this.held || !this.isJudging || this.isCorrecting) return null;
        return { assignment: this.held.claim.assignment, draft: this.draftNow(this.worked(), this.savedAt()) };
      },
      lost: (assignment) => this.lost(assignment),
    });
    this.leases = new Leases({
      heartbeat: (assignment) => api.heartbeat(assignment),
      serverNow: () => api.serverNow(),
      inView: () => document.visibilityState === "visible",
      renewed: (hold) =>
        hold.assignment === this.held?.claim.assignment && store.dispatch({ type: "lease", ends: hold.ends }),
      lost: (hold) => this.lost(hold.assignment),
    });
    document.addEventListener("visibilitychange", () => this.viewChanged());
    setInterval(() => this.worked(), 1000);
    for (const sign of ["pointerdown", "pointermove", "keydown", "wheel"]) {
      document.addEventListener(sign, () => this.active.sign(Date.now()), { passive: true });
    }
  }

  /** Prepares a task with its newer draft; null if the task cannot be shown, after showing why. */
  protected abstract prepare(claim: C): H | null;

  /** Shows a task. */
  protected abstract show(held: H): void;

  /** The draft to save now. */
  protected abstract draftNow(active_s: number, saved_at: string): D;

  get claim(): C | null {
    return this.held?.claim ?? null;
  }

  /**
   * Starts the work, or starts it again after a page without a task: sends an unsent answer first, then claims a task.
   */
  async start(): Promise<void> {
    this.store.dispatch({ type: "screen", screen: { is: "starting" } });
    void this.refreshWorkStatus();
    const unsent = this.drafts.unsent();
    if (unsent) {
      try {
        await this.api.submit(unsent.assignment, unsent.answer, unsent.active_s, this.retries());
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        // Refused for good: if the task is still held, it comes back with its draft.
      }
      this.drafts.dropUnsent();
    }
    await this.takeNext();
  }

  async submit(answer: A): Promise<void> {
    const held = this.held;
    if (!held) return;
    const { assignment } = held.claim;
    const unsent = { assignment, answer, active_s: this.worked() };
    const draft = this.draftNow(unsent.active_s, this.savedAt());
    // A correction that does not arrive leaves the first answer, so it is not sent by a later page.
    if (!this.isCorrecting) this.drafts.holdUnsent(unsent);
    this.autosave.cancel();
    this.store.dispatch({ type: "sending", sending: { is: "sending" } });
    const retries = this.retries(() => this.held !== held);
    try {
      if (this.isCorrecting) await this.api.correct(assignment, answer, retries);
      else await this.api.submit(assignment, answer, unsent.active_s, retries);
    } catch (error) {
      this.drafts.dropUnsent();
      if (this.held !== held) return;
      if (!(error instanceof Problem)) throw error;
      this.store.dispatch({ type: "sending", sending: { is: "idle" } });
      if (this.isCorrecting && error.status === 409) {
        this.forgetLast();
        this.store.dispatch({ type: "notice", notice: { is: "not_corrected", detail: error.detail } });
        return this.goOn();
      }
      if (error.code === "already_submitted") {
        this.store.dispatch({ type: "notice", notice: { is: "elsewhere" } });
        return this.goOn();
      }
      if (error.code === "lease_lost") return this.leaseLost();
      if (error.status === 401 || error.status === 403) return this.refuse(error);
      const is = error.code === WRONG ? "try_again" : "refused_answer";
      this.store.dispatch({ type: "notice", notice: { is, detail: error.detail } });
      return;
    }
    this.drafts.dropUnsent();
    this.remember(held, draft);
    await this.goOn();
  }

  /** Shows the last submitted task again, with its answer; the present task waits. Once more: leaves it as it was. */
  async lookAgain(): Promise<void> {
    const { screen, sending } = this.store.get();
    if (this.isCorrecting) return sending.is === "idle" ? this.goOn() : undefined;
    const { last } = this;
    if (!last || sending.is !== "idle" || !["judging", "finished"].includes(screen.is)) return;
    this.pause();
    this.autosave.flush();
    this.autosave.persist();
    if (this.held) this.setAside(this.held);
    this.store.dispatch({ type: "again", again: "open" });
    const { claim } = last.held;
    this.drafts.save(claim.assignment, last.draft);
    // The header counts down the time that is left for a correction.
    const held = this.prepare({ ...claim, lease_expires_at: new Date(last.until).toISOString() });
    if (!held) return;
    this.take(held);
    this.store.dispatch({ type: "notice", notice: { is: "looking_again" } });
  }

  protected get isCorrecting(): boolean {
    return this.store.get().again === "open";
  }

  /** Whether a submitted task of this tool can be shown again. */
  protected mayLookAgain(_claim: C): boolean {
    return false;
  }

  /** Called when the present task is left for the last one; it is claimed again afterwards. */
  protected setAside(_held: H): void {}

  private remember(held: H, draft: D): void {
    const grace_s = this.store.get().workStatus?.grace_s ?? 0;
    if (!grace_s || !this.mayLookAgain(held.claim)) return;
    const isSame = this.last?.held.claim.assignment === held.claim.assignment;
    const until = isSame && this.last ? this.last.until : this.api.serverNow() + grace_s * 1000;
    this.last = { held, draft, until };
    clearTimeout(this.lastEnds);
    this.lastEnds = setTimeout(() => this.forgetLast(), until - this.api.serverNow());
  }

  private forgetLast(): void {
    this.last = null;
    if (!this.isCorrecting) this.store.dispatch({ type: "again", again: "no" });
  }

  private savedAt(): string {
    return new Date(this.api.serverNow()).toISOString();
  }

  async release(): Promise<void> {
    await this.leave((assignment, retries) => this.api.release(assignment, retries));
  }

  async report(problem: ReportKind, text: string): Promise<void> {
    await this.leave((assignment, retries) => this.api.report(assignment, problem, text, retries));
  }

  /** After a lost lease: takes a new task. */
  async takeNew(): Promise<void> {
    await this.goOn();
  }

  /** The worker has read the notice. It disappears at once, and the server is told when it can be reached. */
  async closeNotice(): Promise<void> {
    const { workStatus } = this.store.get();
    if (workStatus) this.store.dispatch({ type: "work_status", workStatus: { ...workStatus, notice: null } });
    this.focusTask();
    await this.api.closeNotice({});
  }

  /** The assignment that can be released or reported. */
  protected get inHand(): string | null {
    return this.held?.claim.assignment ?? null;
  }

  private async leave(say: (assignment: string, retries: Retries) => Promise<void>): Promise<void> {
    const assignment = this.inHand;
    if (this.isCorrecting) return this.goOn();
    if (!assignment || this.store.get().sending.is !== "idle") return;
    this.pause();
    this.store.dispatch({ type: "sending", sending: { is: "sending" } });
    try {
      await say(assignment, this.retries());
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // The hold is already over, so going on is right.
      if (error.status !== 409 && error.status !== 404) return this.refuse(error);
    }
    await this.goOn();
  }

  private async goOn(): Promise<void> {
    if (this.held) {
      const { assignment } = this.held.claim;
      this.autosave.cancel();
      this.drafts.drop(assignment);
      this.leases.letGo(assignment);
    }
    this.store.dispatch({ type: "again", again: this.last ? "offered" : "no" });
    this.putAway();
    void this.refreshWorkStatus();
    await this.takeNext();
  }

  /** Called when the current task is over. */
  protected putAway(): void {
    this.held = null;
  }

  /** Claims the current task, or a new one if there is none. */
  protected async takeNext(): Promise<void> {
    this.turn += 1;
    const turn = this.turn;
    let claim: C | null;
    try {
      claim = await this.api.claim(this.retries(() => this.turn !== turn));
    } catch (error) {
      if (this.turn !== turn) return;
      if (error instanceof Problem) return this.refuse(error);
      throw error;
    }
    if (this.turn !== turn) return;
    if (this.store.get().notice?.is === "connecting") this.store.dispatch({ type: "notice", notice: null });
    if (claim === null) return this.finish();
    this.leases.hold({ assignment: claim.assignment, ends: Date.parse(claim.lease_expires_at) });
    this.drafts.tidy([claim.assignment]);
    this.took(claim);
  }

  /** Called when there are no tasks left. */
  protected finish(): void {
    this.leases.letAllGo();
    this.held = null;
    this.store.dispatch({ type: "screen", screen: { is: "finished" } });
    void this.refreshSummary();
  }

  protected async refreshSummary(): Promise<void> {
    try {
      this.store.dispatch({ type: "summary", summary: await this.api.summary() });
    } catch {
      // The page says the most important without it.
    }
  }

  /** Called with the claimed task. */
  protected took(claim: C): void {
    const held = this.prepare(claim);
    if (held) this.take(held);
  }

  protected take(held: H): void {
    this.held = held;
    this.active = new ActiveClock(Date.now(), held.draft?.active_s ?? 0);
    this.show(held);
    this.focusTask();
  }

  /** Whether the worker can still change the answer. */
  private get isJudging(): boolean {
    const { screen, sending } = this.store.get();
    return screen.is === "judging" && sending.is === "idle";
  }

  private worked(): number {
    this.active.tick(Date.now(), document.visibilityState === "visible");
    return this.active.active_s;
  }

  /** Stops everything that runs: the page is hidden, or the task is being left. */
  protected pause(): void {}

  private viewChanged(): void {
    if (document.visibilityState === "hidden") this.hidden();
    else void this.leases.beat();
  }

  /** The page is hidden and may not come back. */
  protected hidden(): void {
    this.pause();
    this.autosave.flush();
  }

  /** The server has ended this hold. */
  protected lost(assignment: string): void {
    if (assignment === this.held?.claim.assignment && this.isJudging) this.leaseLost();
  }

  private leaseLost(): void {
    this.pause();
    this.autosave.persist();
    const endedAt = this.store.get().lease_ends ?? this.api.serverNow();
    this.leases.letGo(this.held?.claim.assignment ?? "");
    this.store.dispatch({ type: "screen", screen: { is: "lost", endedAt } });
  }

  private refuse(error: Problem): void {
    this.pause();
    if (error.code === "paused") {
      // The server has a page for this case. The draft brings the answer back.
      this.autosave.persist();
      location.reload();
      return;
    }
    this.store.dispatch({ type: "screen", screen: refusedBy(error) });
  }

  protected async refreshWorkStatus(): Promise<void> {
    try {
      this.store.dispatch({ type: "work_status", workStatus: await this.api.workStatus() });
    } catch {
      // An old number in the header is better than an error.
    }
  }

  private retries(until?: () => boolean): Retries {
    return {
      ...(until ? { until } : {}),
      onWait: (wait: RetryWait) => {
        const why = whyOf(wait, navigator.onLine);
        const { attempt } = wait;
        if (this.store.get().sending.is === "idle")
          this.store.dispatch({ type: "notice", notice: { is: "connecting", why, attempt } });
        else this.store.dispatch({ type: "sending", sending: { is: "waiting", why, attempt } });
      },
    };
  }
}
