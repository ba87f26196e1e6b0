/** The work session of the marker. It plays the current task and loads the video of the next one ahead. */

import { WorkSession, type TaskInHand } from "../../work/session";
import type { WorkApi } from "../../work/api";
import type { BrowserStorage } from "../../work/storage";
import type { Store } from "../../work/store";
import { frame } from "./units";
import { newerDraft } from "./drafts";
import type { Answer, Claim, Draft } from "./payload";
import { Player } from "./player";
import type { Action, MarkerState } from "./state";
import type { Surface } from "./surface";

/** A task with its player. */
interface Playing extends TaskInHand<Claim, Draft> {
  player: Player;
}

export class Session extends WorkSession<Claim, Answer, Draft, Playing> {
  private next: Playing | null = null;
  private askingAhead = false;
  /** The assignment of a task without a player, because its frame table is wrong. */
  private unplayable: string | null = null;

  constructor(
    api: WorkApi<Claim, Answer, Draft>,
    protected override readonly store: Store<MarkerState, Action>,
    private readonly surface: Surface,
    private readonly decoders: HTMLElement,
    keep: BrowserStorage,
    focusTask: () => void,
  ) {
    super(api, store, keep, focusTask);
    store.subscribe((now, before) => this.follow(now, before));
  }

  get player(): Player | null {
    return this.held?.player ?? null;
  }

  /** Loads the video again. Its address may have expired, so the task is claimed again. */
  async reloadVideo(): Promise<void> {
    const held = this.held;
    if (!held) return;
    this.autosave.persist();
    this.store.dispatch({ type: "video", is: "loading" });
    this.forget(held);
    this.held = null;
    await this.takeNext();
  }

  /** After a lost lease: sends the answer anyway, because the task may still be free. */
  sendAnyway(): void {
    this.store.dispatch({ type: "screen", screen: { is: "judging" } });
    this.store.dispatch({ type: "submit" });
  }

  protected override get inHand(): string | null {
    return super.inHand ?? this.unplayable;
  }

  /** The prepared task is shown at once; the server confirms it afterwards. */
  protected override putAway(): void {
    const done = this.held;
    const ready = this.next;
    super.putAway();
    this.next = null;
    this.unplayable = null;
    if (ready) this.take(ready);
    done?.player.dispose();
  }

  protected override took(claim: Claim): void {
    const before = this.held;
    if (before?.claim.assignment === claim.assignment) {
      this.store.dispatch({ type: "lease", ends: Date.parse(claim.lease_expires_at) });
      this.store.dispatch({ type: "sending", sending: { is: "idle" } });
    } else {
      this.dropNext();
      super.took(claim);
      if (before) this.forget(before);
    }
    if (this.store.get().video === "ready") void this.fetchAhead();
  }

  protected override mayLookAgain(): boolean {
    return true;
  }

  /** Its video is loaded again afterwards, which the browser has by then. */
  protected override setAside(held: Playing): void {
    this.dropNext();
    held.player.dispose();
  }

  protected prepare(claim: Claim): Playing | null {
    try {
      return this.load(claim, "auto");
    } catch {
      // With a wrong frame table nothing can be judged.
      this.held = null;
      this.unplayable = claim.assignment;
      this.store.dispatch({ type: "screen", screen: { is: "refused", code: "bad_video", detail: "" } });
      return null;
    }
  }

  /** A player that loads from the position of the draft. Throws if the frame table is wrong. */
  private load(claim: Claim, preload: "auto" | "metadata"): Playing {
    const { payload, assignment } = claim;
    const draft = newerDraft(claim.draft, this.drafts.local(assignment));
    const player = new Player(payload.video, draft?.position ?? payload.markable.first);
    player.video.preload = preload;
    this.decoders.append(player.video);
    void player.load();
    return { claim, player, draft };
  }

  protected show({ claim, player, draft }: Playing): void {
    const { markable, video } = claim.payload;
    this.store.dispatch({
      type: "task",
      task: {
        assignment: claim.assignment,
        frames: video.frames,
        first: frame(markable.first),
        last: frame(markable.last),
        never: frame(markable.never),
      },
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
  }

  /** Reserves the next task and loads its video, once the current video is usable. */
  private async fetchAhead(): Promise<void> {
    if (this.next || this.askingAhead || !this.held || this.isCorrecting) return;
    const present = this.held;
    this.askingAhead = true;
    try {
      const claim = await this.api.ahead();
      if (!claim || this.held !== present || claim.assignment === present.claim.assignment) return;
      // Only what the first picture needs, because the current video needs the bandwidth.
      this.next = this.load(claim, "metadata");
      this.leases.hold({ assignment: claim.assignment, ends: Date.parse(claim.lease_expires_at) });
    } catch {
      // Loading ahead is optional: the next task is claimed later, and real problems show then.
    } finally {
      this.askingAhead = false;
    }
  }

  private follow(now: MarkerState, before: MarkerState): void {
    if (now.submitting && !before.submitting && now.marker)
      void this.submit({ outcome: now.marker.outcome, frame: now.marker.at });
    if (now.rate !== 0) this.active.sign(Date.now());
    if (now.screen.is !== "judging" || now.task !== before.task || now.sending.is !== "idle") return;
    if (now.marker !== before.marker) this.autosave.saveSoon();
    else if (now.position !== before.position) this.autosave.saveLater();
  }

  protected draftNow(active_s: number, saved_at: string): Draft {
    const { marker, position } = this.store.get();
    return { outcome: marker?.outcome ?? null, frame: marker?.at ?? null, position, active_s, saved_at };
  }

  protected override pause(): void {
    this.player?.stop();
  }

  protected override lost(assignment: string): void {
    if (assignment === this.next?.claim.assignment) this.dropNext();
    else super.lost(assignment);
  }

  protected override finish(): void {
    this.dropNext();
    if (this.held) this.forget(this.held);
    super.finish();
    void this.refreshWorkStatus();
  }

  private forget(held: Playing): void {
    this.leases.letGo(held.claim.assignment);
    held.player.dispose();
  }

  private dropNext(): void {
    if (this.next) this.forget(this.next);
    this.next = null;
  }
}
