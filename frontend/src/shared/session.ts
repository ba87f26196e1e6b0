/** The course of the work where each task stands for itself: take one, have it answered, send it, take the next. */

import { ActiveClock } from "./activity";
import { Autosave } from "./autosave";
import { refusedBy, whyOf, type CourseNotice, type Screen, type Sending } from "./course";
import { Drafts, type Saved } from "./drafts";
import { Problem, type Patience, type Wait } from "./http";
import { Leases } from "./lease";
import type { Keep } from "./storage";
import type { ReportKind, Standing, WorkApi } from "./work";

/** What the session reads off a page's state. */
interface CourseState {
  screen: Screen;
  sending: Sending;
  notice: { is: string } | null;
  standing: Standing | null;
  lease_ends: number | null;
}

type CourseAction =
  | { type: "screen"; screen: Screen }
  | { type: "sending"; sending: Sending }
  | { type: "notice"; notice: CourseNotice | null }
  | { type: "standing"; standing: Standing }
  | { type: "lease"; ends: number };

/** A store of any tool whose states and actions are at least these. */
export interface CourseStore {
  get(): CourseState;
  dispatch(action: CourseAction): void;
}

/** What a tool does at the turns of the course. */
export interface Bench<C, D> {
  /** The newer one of the task's draft and this browser's. */
  draftOf(claim: C, local: Partial<D> | null): D | null;
  /** Puts a task in view. */
  show(claim: C, draft: D | null): void;
  /** What to keep now. */
  draftNow(active_s: number, saved_at: string): D;
}

export class WorkSession<C extends { assignment: string; lease_expires_at: string }, A, D extends Saved> {
  private held: C | null = null;
  /** Only the latest question for a task counts. */
  private turn = 0;
  private active = new ActiveClock(Date.now());
  private readonly drafts: Drafts<D, A>;
  readonly autosave: Autosave<D>;
  private readonly leases: Leases;

  constructor(
    private readonly api: WorkApi<C, A, D>,
    private readonly store: CourseStore,
    private readonly bench: Bench<C, D>,
    keep: Keep,
    private readonly focusTask: () => void,
  ) {
    this.drafts = new Drafts(keep);
    this.autosave = new Autosave({
      api,
      drafts: this.drafts,
      now: () => (this.held && this.isJudging ? { assignment: this.held.assignment, draft: this.draftNow() } : null),
      lost: (assignment) => assignment === this.held?.assignment && this.isJudging && this.leaseLost(),
    });
    this.leases = new Leases({
      heartbeat: (assignment) => api.heartbeat(assignment),
      serverNow: () => api.serverNow(),
      inView: () => document.visibilityState === "visible",
      renewed: (hold) => hold.assignment === this.held?.assignment && store.dispatch({ type: "lease", ends: hold.ends }),
      lost: (hold) => hold.assignment === this.held?.assignment && this.isJudging && this.leaseLost(),
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.autosave.flush();
      else void this.leases.beat();
    });
    setInterval(() => this.worked(), 1000);
    for (const sign of ["pointerdown", "pointermove", "keydown", "wheel"]) {
      document.addEventListener(sign, () => this.active.sign(Date.now()), { passive: true });
    }
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
    const { assignment } = held;
    const unsent = { assignment, answer, active_s: this.worked() };
    this.autosave.persist();
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

  private async leave(say: (assignment: string, patience: Patience) => Promise<void>): Promise<void> {
    const assignment = this.held?.assignment;
    if (!assignment || this.store.get().sending.is !== "idle") return;
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
    const done = this.held;
    if (done) {
      this.autosave.cancel();
      this.drafts.drop(done.assignment);
      this.leases.letGo(done.assignment);
    }
    this.held = null;
    void this.refreshStanding();
    await this.takeNext();
  }

  private async takeNext(): Promise<void> {
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
    if (claim === null) {
      this.leases.letAllGo();
      this.store.dispatch({ type: "screen", screen: { is: "finished" } });
      return;
    }
    this.held = claim;
    this.leases.hold({ assignment: claim.assignment, ends: Date.parse(claim.lease_expires_at) });
    const draft = this.bench.draftOf(claim, this.drafts.local(claim.assignment));
    this.active = new ActiveClock(Date.now(), draft?.active_s ?? 0);
    this.bench.show(claim, draft);
    this.drafts.tidy([claim.assignment]);
    this.focusTask();
  }

  /** The task is in the worker's hands: not sent, not lost. */
  private get isJudging(): boolean {
    const { screen, sending } = this.store.get();
    return screen.is === "judging" && sending.is === "idle";
  }

  private draftNow(): D {
    return this.bench.draftNow(this.worked(), new Date(this.api.serverNow()).toISOString());
  }

  private worked(): number {
    this.active.tick(Date.now(), document.visibilityState === "visible");
    return this.active.active_s;
  }

  private leaseLost(): void {
    this.autosave.persist();
    const endedAt = this.store.get().lease_ends ?? this.api.serverNow();
    this.leases.letGo(this.held?.assignment ?? "");
    this.store.dispatch({ type: "screen", screen: { is: "lost", endedAt } });
  }

  private refuse(error: Problem): void {
    if (error.code === "paused") {
      // The server has a page for it, with what to do next; what is on this one comes back with its draft.
      this.autosave.persist();
      location.reload();
      return;
    }
    this.store.dispatch({ type: "screen", screen: refusedBy(error) });
  }

  private async refreshStanding(): Promise<void> {
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
