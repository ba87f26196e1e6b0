/** The course of the work: take a task, have it judged, send the answer, go on with the next one, which is already here. */

import { Problem, type Patience, type Wait } from "../shared/http";
import { ActiveClock } from "../shared/activity";
import { Autosave } from "../shared/autosave";
import { refusedBy, whyOf } from "../shared/course";
import { Drafts } from "../shared/drafts";
import { Leases } from "../shared/lease";
import type { Keep } from "../shared/storage";
import type { Store } from "../shared/store";
import { frame } from "../shared/units";
import type { ReportKind, WorkApi } from "./api";
import { newerDraft } from "./drafts";
import type { Answer, Claim, Draft } from "./payload";
import { Player } from "./player";
import type { Action, MarkerState } from "./state";
import type { Surface } from "./surface";

/** A task in hand with its player. */
interface Held {
  claim: Claim;
  player: Player;
  draft: Draft | null;
}

export class Session {
  private held: Held | null = null;
  private next: Held | null = null;
  private askingAhead = false;
  /** Only the latest question for a task counts: a quick worker may submit before the last one is answered. */
  private turn = 0;
  /** A task in hand that has no player, because its description contradicts itself. */
  private unplayable: string | null = null;
  private active = new ActiveClock(Date.now());
  private readonly drafts: Drafts<Draft, Answer>;
  private readonly autosave: Autosave<Draft>;
  private readonly leases: Leases;

  constructor(
    private readonly api: WorkApi,
    private readonly store: Store<MarkerState, Action>,
    private readonly surface: Surface,
    private readonly decoders: HTMLElement,
    keep: Keep,
    private readonly focusTask: () => void,
  ) {
    this.drafts = new Drafts(keep);
    this.autosave = new Autosave({
      api,
      drafts: this.drafts,
      now: () => (this.held && this.isJudging ? { assignment: this.held.claim.assignment, draft: this.draftNow() } : null),
      lost: (assignment) => assignment === this.held?.claim.assignment && this.isJudging && this.leaseLost(),
    });
    this.leases = new Leases({
      heartbeat: (assignment) => api.heartbeat(assignment),
      serverNow: () => api.serverNow(),
      inView: () => document.visibilityState === "visible",
      renewed: (hold) => hold.assignment === this.held?.claim.assignment && store.dispatch({ type: "lease", ends: hold.ends }),
      lost: (hold) => {
        if (hold.assignment === this.next?.claim.assignment) this.dropNext();
        else if (hold.assignment === this.held?.claim.assignment && this.isJudging) this.leaseLost();
      },
    });
    store.subscribe((now, before) => this.follow(now, before));
    document.addEventListener("visibilitychange", () => this.viewChanged());
    setInterval(() => this.worked(), 1000);
    for (const sign of ["pointerdown", "pointermove", "keydown", "wheel"]) {
      document.addEventListener(sign, () => this.active.sign(Date.now()), { passive: true });
    }
  }

  get player(): Player | null {
    return this.held?.player ?? null;
  }

  get claim(): Claim | null {
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

  async submit(): Promise<void> {
    const { marker } = this.store.get();
    const held = this.held;
    if (!held || !marker) return;
    const { assignment } = held.claim;
    const unsent = { assignment, answer: { outcome: marker.outcome, frame: marker.at }, active_s: this.worked() };
    this.drafts.holdUnsent(unsent);
    this.autosave.cancel();
    this.store.dispatch({ type: "sending", sending: { is: "sending" } });
    try {
      await this.api.submit(assignment, unsent.answer, unsent.active_s, this.patience(() => this.held !== held));
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

  /** Load the video of this task anew; its address may have expired, so the task is asked for again. */
  async reloadVideo(): Promise<void> {
    const held = this.held;
    if (!held) return;
    this.autosave.persist();
    this.store.dispatch({ type: "video", is: "loading" });
    this.forget(held);
    this.held = null;
    await this.takeNext();
  }

  private async leave(say: (assignment: string, patience: Patience) => Promise<void>): Promise<void> {
    const assignment = this.held?.claim.assignment ?? this.unplayable;
    if (!assignment || this.store.get().sending.is !== "idle") return;
    this.player?.stop();
    this.store.dispatch({ type: "sending", sending: { is: "sending" } });
    try {
      await say(assignment, this.patience());
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // Over already, by time or elsewhere: going on is what was wanted.
      if (error.status !== 409 && error.status !== 404) return this.refuse(error);
    }
    this.unplayable = null;
    await this.goOn();
  }

  /** The task in hand is over. Show the one that is ready at once, then have the server confirm it. */
  private async goOn(): Promise<void> {
    const done = this.held;
    if (done) {
      this.autosave.cancel();
      this.drafts.drop(done.claim.assignment);
      this.leases.letGo(done.claim.assignment);
    }
    const ready = this.next;
    this.next = null;
    if (ready) this.show(ready);
    if (done) done.player.dispose();
    if (!ready) this.held = null;
    void this.refreshStanding();
    await this.takeNext();
  }

  /** Ask for the task at hand: the one shown, if there is one, else another. */
  private async takeNext(): Promise<void> {
    this.turn += 1;
    const turn = this.turn;
    let claim: Claim | null;
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
      this.end();
      this.store.dispatch({ type: "screen", screen: { is: "finished" } });
      void this.refreshStanding();
      return;
    }
    const ends = Date.parse(claim.lease_expires_at);
    this.leases.hold({ assignment: claim.assignment, ends });
    if (this.held?.claim.assignment === claim.assignment) {
      this.store.dispatch({ type: "lease", ends });
      this.store.dispatch({ type: "sending", sending: { is: "idle" } });
    } else {
      const before = this.held;
      this.dropNext();
      const held = this.prepare(claim);
      if (held) this.show(held);
      if (before) this.forget(before);
    }
    this.drafts.tidy([claim.assignment]);
    if (this.store.get().video === "ready") void this.fetchAhead();
  }

  private prepare(claim: Claim): Held | null {
    const { payload, assignment } = claim;
    const draft = newerDraft(claim.draft, this.drafts.local(assignment));
    try {
      const player = new Player(payload.video, draft?.position ?? payload.markable.first);
      this.decoders.append(player.video);
      void player.load();
      return { claim, player, draft };
    } catch {
      // A frame table that contradicts itself: nothing can be judged by it.
      this.held = null;
      this.unplayable = assignment;
      this.store.dispatch({ type: "screen", screen: { is: "refused", code: "bad_video", detail: "" } });
      return null;
    }
  }

  private show(held: Held): void {
    this.held = held;
    const { claim, player, draft } = held;
    const { markable, video } = claim.payload;
    this.active = new ActiveClock(Date.now(), draft?.active_s ?? 0);
    this.store.dispatch({
      type: "task",
      task: { assignment: claim.assignment, frames: video.frames, first: frame(markable.first), last: frame(markable.last), never: frame(markable.never) },
      position: player.at,
      marker: draft?.outcome && draft.frame !== null ? { outcome: draft.outcome, at: frame(draft.frame) } : null,
      lease_ends: Date.parse(claim.lease_expires_at),
    });
    const { dispatch } = this.store;
    player.video.preload = "auto";
    player.attach(this.surface, {
      moved: (to) => dispatch({ type: "moved", to }),
      shown: (at) => dispatch({ type: "shown", at }),
      pending: () => dispatch({ type: "pending" }),
      rate: (rate) => dispatch({ type: "rate", rate }),
      ready: () => {
        dispatch({ type: "video", is: "ready" });
        void this.fetchAhead();
      },
      broken: () => dispatch({ type: "video", is: "broken" }),
    });
    this.focusTask();
  }

  /** Reserve the next task and warm its video, once the present one is usable. */
  private async fetchAhead(): Promise<void> {
    if (this.next || this.askingAhead || !this.held) return;
    const present = this.held;
    this.askingAhead = true;
    try {
      const claim = await this.api.ahead();
      if (!claim || this.held !== present || claim.assignment === present.claim.assignment) return;
      const draft = newerDraft(claim.draft, this.drafts.local(claim.assignment));
      const player = new Player(claim.payload.video, draft?.position ?? claim.payload.markable.first);
      // Only what its first picture needs: the present video has the line.
      player.video.preload = "metadata";
      this.decoders.append(player.video);
      void player.load();
      this.next = { claim, player, draft };
      this.leases.hold({ assignment: claim.assignment, ends: Date.parse(claim.lease_expires_at) });
    } catch {
      // Only comfort: without it the next task is taken when its time comes, and that says what is wrong.
    } finally {
      this.askingAhead = false;
    }
  }

  private follow(now: MarkerState, before: MarkerState): void {
    if (now.submitting && !before.submitting) void this.submit();
    if (now.rate !== 0) this.active.sign(Date.now());
    if (now.screen.is !== "judging" || now.task !== before.task || now.sending.is !== "idle") return;
    if (now.marker !== before.marker) this.autosave.saveSoon();
    else if (now.position !== before.position) this.autosave.saveLater();
  }

  /** The task is in the worker's hands: not sent, not lost. */
  private get isJudging(): boolean {
    const { screen, sending } = this.store.get();
    return screen.is === "judging" && sending.is === "idle";
  }

  private draftNow(): Draft {
    const { marker, position } = this.store.get();
    return {
      outcome: marker?.outcome ?? null,
      frame: marker?.at ?? null,
      position,
      active_s: this.worked(),
      saved_at: new Date(this.api.serverNow()).toISOString(),
    };
  }

  private worked(): number {
    this.active.tick(Date.now(), document.visibilityState === "visible");
    return this.active.active_s;
  }

  private viewChanged(): void {
    if (document.visibilityState === "hidden") {
      this.player?.stop();
      this.autosave.flush();
    } else {
      void this.leases.beat();
    }
  }

  private leaseLost(): void {
    this.player?.stop();
    this.autosave.persist();
    const endedAt = this.store.get().lease_ends ?? this.api.serverNow();
    this.leases.letGo(this.held?.claim.assignment ?? "");
    this.store.dispatch({ type: "screen", screen: { is: "lost", endedAt } });
  }

  /** After a lost lease: try the answer anyway, the place may still be free. */
  sendAnyway(): void {
    this.store.dispatch({ type: "screen", screen: { is: "judging" } });
    this.store.dispatch({ type: "submit" });
  }

  /** After a lost lease: leave it and take a new one. */
  async takeNew(): Promise<void> {
    const held = this.held;
    if (held) this.drafts.drop(held.claim.assignment);
    await this.goOn();
  }

  private refuse(error: Problem): void {
    this.player?.stop();
    if (error.code === "paused") {
      // The server has a page for it, with what to do next; what is on this one comes back with its draft.
      this.autosave.persist();
      location.reload();
      return;
    }
    this.store.dispatch({ type: "screen", screen: refusedBy(error) });
  }

  private end(): void {
    this.leases.letAllGo();
    this.dropNext();
    if (this.held) this.forget(this.held);
    this.held = null;
  }

  private forget(held: Held): void {
    this.leases.letGo(held.claim.assignment);
    held.player.dispose();
  }

  private dropNext(): void {
    if (this.next) this.forget(this.next);
    this.next = null;
  }

  /** The worker has read the notice: it goes at once, and the server hears of it when it can. */
  async closeNotice(): Promise<void> {
    const { standing } = this.store.get();
    if (standing) this.store.dispatch({ type: "standing", standing: { ...standing, notice: null } });
    this.focusTask();
    await this.api.closeNotice({});
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
