/** The course of the work, whatever the tool: take a task, have it answered, send the answer, take the next. */

import { ActiveClock } from "./activity";
import { Autosave } from "./autosave";
import { refusedBy, whyOf, type Course, type CourseAction } from "./course";
import { Drafts, type Saved } from "./drafts";
import { Problem, type Patience, type Wait } from "./http";
import { Leases } from "./lease";
import type { Keep } from "./storage";
import type { ReportKind, WorkApi } from "./work";

/** A store of any tool whose states and actions are at least these. */
export interface CourseStore {
  get(): Course<{ is: string }>;
  dispatch(action: CourseAction): void;
}

/** A task in hand, with what was done on it before. A tool may need more to work on one. */
export interface Held<C, D> {
  claim: C;
  draft: D | null;
}

/** A tool's own session says how a task is prepared, shown and kept; the rest it may add to. */
export abstract class WorkSession<C extends { assignment: string; lease_expires_at: string }, A, D extends Saved, H extends Held<C, D> = Held<C, D>> {
  protected held: H | null = null;
  /** Only the latest question for a task counts: a quick worker may submit before the last one is answered. */
  private turn = 0;
  protected active = new ActiveClock(Date.now());
  protected readonly drafts: Drafts<D, A>;
  protected readonly autosave: Autosave<D>;
  protected readonly leases: Leases;

  constructor(
    protected readonly api: WorkApi<C, A, D>,
    protected readonly store: CourseStore,
    keep: Keep,
    private readonly focusTask: () => void,
  ) {
    this.drafts = new Drafts(keep);
    this.autosave = new Autosave({
      api,
      drafts: this.drafts,
      now: () => {
        if (!this.held || !this.isJudging) return null;
        const saved_at = new Date(api.serverNow()).toISOString();
        return { assignment: this.held.claim.assignment, draft: this.draftNow(this.worked(), saved_at) };
      },
      lost: (assignment) => this.lost(assignment),
    });
    this.leases = new Leases({
      heartbeat: (assignment) => api.heartbeat(assignment),
      serverNow: () => api.serverNow(),
      inView: () => document.visibilityState === "visible",
      renewed: (hold) => hold.assignment === this.held?.claim.assignment && store.dispatch({ type: "lease", ends: hold.ends }),
      lost: (hold) => this.lost(hold.assignment),
    });
    document.addEventListener("visibilitychange", () => this.viewChanged());
    setInterval(() => this.worked(), 1000);
    for (const sign of ["pointerdown", "pointermove", "keydown", "wheel"]) {
      document.addEventListener(sign, () => this.active.sign(Date.now()), { passive: true });
    }
  }

  /** What it takes to work on a task, its newer draft included; null where that cannot be done, and then it says so. */
  protected abstract prepare(claim: C): H | null;

  /** Puts a task in view. */
  protected abstract show(held: H): void;

  /** What to keep now. */
  protected abstract draftNow(active_s: number, saved_at: string): D;

  get claim(): C | null {
    return this.held?.claim ?? null;
  }

  /** From the start, or after a page of its own: what is unsent goes first, then the next task. */
  async start(): Promise<void> {
    this.store.dispatch({ type: "screen", screen: { is: "starting" } });
    void this.refreshStanding();
    const unsent = this.drafts.unsent();
    if (unsent) {
      try {
        await this.api.submit(unsent.assignment, unsent.answer, unsent.active_s, this.patience());
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        // Refused for good: the task, if still held, comes back with its draft.
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
    this.drafts.holdUnsent(unsent);
    this.autosave.cancel();
    this.store.dispatch({ type: "sending", sending: { is: "sending" } });
    try {
      await this.api.submit(assignment, answer, unsent.active_s, this.patience(() => this.held !== held));
    } catch (error) {
      this.drafts.dropUnsent();
      if (this.held !== held) return;
      if (!(error instanceof Problem)) throw error;
      this.store.dispatch({ type: "sending", sending: { is: "idle" } });
      if (error.code === "already_submitted") {
        this.store.dispatch({ type: "notice", notice: { is: "elsewhere" } });
        return this.goOn();
      }
      if (error.code === "lease_lost") return this.leaseLost();
      if (error.status === 401 || error.status === 403) return this.refuse(error);
      this.store.dispatch({ type: "notice", notice: { is: "refused_answer", detail: error.detail } });
      return;
    }
    this.drafts.dropUnsent();
    await this.goOn();
  }

  async release(): Promise<void> {
    await this.leave((assignment, patience) => this.api.release(assignment, patience));
  }

  async report(problem: ReportKind, text: string): Promise<void> {
    await this.leave((assignment, patience) => this.api.report(assignment, problem, text, patience));
  }

  /** After a lost lease: leave it and take a new one. */
  async takeNew(): Promise<void> {
    await this.goOn();
  }

  /** The worker has read the notice: it goes at once, and the server hears of it when it can. */
  async closeNotice(): Promise<void> {
    const { standing } = this.store.get();
    if (standing) this.store.dispatch({ type: "standing", standing: { ...standing, notice: null } });
    this.focusTask();
    await this.api.closeNotice({});
  }

  /** The assignment that can be left. */
  protected get inHand(): string | null {
    return this.held?.claim.assignment ?? null;
  }

  private async leave(say: (assignment: string, patience: Patience) => Promise<void>): Promise<void> {
    const assignment = this.inHand;
    if (!assignment || this.store.get().sending.is !== "idle") return;
    this.pause();
    this.store.dispatch({ type: "sending", sending: { is: "sending" } });
    try {
      await say(assignment, this.patience());
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // Over already, by time or elsewhere: going on is what was wanted.
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
    this.putAway();
    void this.refreshStanding();
    await this.takeNext();
  }

  /** The task in hand is over. */
  protected putAway(): void {
    this.held = null;
  }

  /** Ask for the task at hand: the one shown, if there is one, else another. */
  protected async takeNext(): Promise<void> {
    this.turn += 1;
    const turn = this.turn;
    let claim: C | null;
    try {
      claim = await this.api.claim(this.patience(() => this.turn !== turn));
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

  /** There is nothing left to do. */
  protected finish(): void {
    this.leases.letAllGo();
    this.held = null;
    this.store.dispatch({ type: "screen", screen: { is: "finished" } });
  }

  /** The server gave this task. */
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

  /** The task is in the worker's hands: not sent, not lost. */
  private get isJudging(): boolean {
    const { screen, sending } = this.store.get();
    return screen.is === "judging" && sending.is === "idle";
  }

  private worked(): number {
    this.active.tick(Date.now(), document.visibilityState === "visible");
    return this.active.active_s;
  }

  /** Whatever runs stands still: the worker looks away, or the task is on its way out of their hands. */
  protected pause(): void {}

  private viewChanged(): void {
    if (document.visibilityState === "hidden") {
      this.pause();
      this.autosave.flush();
    } else {
      void this.leases.beat();
    }
  }

  /** The server says that this hold is over. */
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
      // The server has a page for it, with what to do next; what is on this one comes back with its draft.
      this.autosave.persist();
      location.reload();
      return;
    }
    this.store.dispatch({ type: "screen", screen: refusedBy(error) });
  }

  protected async refreshStanding(): Promise<void> {
    try {
      this.store.dispatch({ type: "standing", standing: await this.api.standing() });
    } catch {
      // A number in the corner: an old one is better than an error.
    }
  }

  private patience(until?: () => boolean): Patience {
    return {
      ...(until ? { until } : {}),
      onWait: (wait: Wait) => {
        const why = whyOf(wait, navigator.onLine);
        const { attempt } = wait;
        if (this.store.get().sending.is === "idle") this.store.dispatch({ type: "notice", notice: { is: "connecting", why, attempt } });
        else this.store.dispatch({ type: "sending", sending: { is: "waiting", why, attempt } });
      },
    };
  }
}
