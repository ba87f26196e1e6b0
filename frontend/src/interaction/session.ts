/** The course of the live work: a session is taken, led through its socket until it ends, and then the worker says what next. */

import { WorkSession, type Held } from "../shared/session";
import type { Keep } from "../shared/storage";
import type { Store } from "../shared/store";
import type { WorkApi } from "../shared/work";
import type { Pose } from "../world/frame";
import { isSamePose, soundDraft, wirePose } from "./drafts";
import type { Answer, Claim, Draft } from "./payload";
import { Socket, socketUrl, type Connect } from "./socket";
import { unreflected, type Action, type InteractionState } from "./state";
import type { Message } from "./wire";
import { WorldNow } from "./world";

/** The worker's place is told twice a second at most. */
const POSE_MS = 500;
/** The ratings are sent when the worker has paused. */
const THOUGHT_MS = 800;

export interface Around {
  token: string;
  focusTask: () => void;
  /** What outlives a reload of this tab, and not the tab. */
  ofTab: Keep;
  connect?: Connect;
}

export class Session extends WorkSession<Claim, Answer, Draft> {
  /** The world of the session at hand. */
  world: WorldNow | null = null;
  private socket: Socket | null = null;
  private isGoing = false;
  private pose: Pose | null = null;
  private toldPose: Pose | null = null;
  private thought: ReturnType<typeof setTimeout> | undefined;

  constructor(
    api: WorkApi<Claim, Answer, Draft>,
    protected override readonly store: Store<InteractionState, Action>,
    keep: Keep,
    private readonly around: Around,
  ) {
    super(api, store, keep, around.focusTask);
    store.subscribe((now, before) => this.follow(now, before));
    setInterval(() => this.tellPose(), POSE_MS);
  }

  protected prepare(claim: Claim): Held<Claim, Draft> {
    return { claim, draft: soundDraft(this.drafts.local(claim.assignment)) };
  }

  protected show({ claim, draft }: Held<Claim, Draft>): void {
    const { assignment, payload } = claim;
    const { dispatch } = this.store;
    // The socket keeps the hold, and only for a worker who does something.
    this.leases.letGo(assignment);
    this.world = new WorldNow(payload.world);
    this.pose = draft?.pose ?? payload.world.player;
    this.toldPose = this.pose;
    dispatch({ type: "task", task: { assignment, payload }, text: draft?.text ?? "", feedback: draft?.remark ?? "", wrote: draft?.wrote ?? null, lease_ends: Date.parse(claim.lease_expires_at), now: Date.now() });
    const { token, ofTab, connect } = this.around;
    const socket = new Socket({
      url: socketUrl(assignment),
      token,
      keep: ofTab,
      name: `socket:${assignment}`,
      ...(connect ? { connect } : {}),
      on: {
        welcome: (welcome) => dispatch({ type: "live", action: { type: "welcome", welcome, now: Date.now() } }),
        event: (event) => {
          this.world?.heard(event);
          dispatch({ type: "live", action: { type: "event", event, now: Date.now() } });
        },
        refused: (message, detail) => {
          this.world?.refused(message);
          dispatch({ type: "live", action: { type: "refused", message, detail } });
        },
        line: (isUp, attempt) => dispatch({ type: "live", action: { type: "line", isUp, attempt } }),
        over: (code) => dispatch({ type: "live", action: { type: "over", code } }),
      },
    });
    this.socket = socket;
    // What was on its way when the page was left still is.
    for (const message of socket.unsent) this.expect(message);
    socket.open();
  }

  protected draftNow(active_s: number, saved_at: string): Draft {
    const { text, thoughts, wrote } = this.store.get();
    return { text, remark: thoughts.feedback, wrote, pose: this.pose, active_s, saved_at };
  }

  /** Where the worker stands when the world is opened. */
  get place(): Pose {
    return this.pose ?? this.world?.player ?? { x: 0, y: 1, z: 0, pitch: 0, yaw: 0 };
  }

  send(message: Message): void {
    if (!this.socket || this.store.get().live.phase === "ended") return;
    this.expect(message);
    this.socket.send(message);
  }

  moved(pose: Pose): void {
    this.pose = wirePose(pose);
  }

  /** Have the session here again, after it was opened on another page. */
  continueHere(): void {
    this.store.dispatch({ type: "live", action: { type: "again" } });
    this.socket?.again();
  }

  async leaveEarly(): Promise<void> {
    this.isGoing = true;
    try {
      await this.release();
    } finally {
      this.isGoing = false;
    }
  }

  finish(): void {
    this.reflect();
    this.send({ type: "finish", body: {} });
  }

  /** The next one only when the worker wants it: first they read how this one ended. */
  protected override async takeNext(): Promise<void> {
    if (!this.isGoing) return super.takeNext();
    this.store.dispatch({ type: "sending", sending: { is: "idle" } });
    this.store.dispatch({ type: "live", action: { type: "ended", reason: "left" } });
    void this.refreshStanding();
  }

  protected override putAway(): void {
    super.putAway();
    this.socket?.done();
    this.socket = null;
  }

  protected override lost(assignment: string): void {
    if (assignment === this.claim?.assignment && !this.store.get().live.isFinishing) this.store.dispatch({ type: "live", action: { type: "ended", reason: "expired" } });
  }

  /** What is sent shows at once. */
  private expect(message: Message): void {
    this.world?.sent(message);
    this.store.dispatch({ type: "live", action: { type: "sent", message, now: Date.now() } });
  }

  private tellPose(): void {
    const { pose } = this;
    // While the line is down only the last one matters, and that is told when it is back.
    if (!pose || !this.socket?.isUp || isSamePose(pose, this.toldPose)) return;
    this.toldPose = pose;
    this.send({ type: "pose", body: pose });
    this.autosave.persist();
  }

  private reflect(): void {
    clearTimeout(this.thought);
    const body = unreflected(this.store.get());
    if (body) this.send({ type: "reflect", body });
  }

  private follow(now: InteractionState, before: InteractionState): void {
    if (now.task !== before.task) return;
    if (now.text !== before.text || now.thoughts !== before.thoughts || now.wrote !== before.wrote) this.autosave.persist();
    if (now.thoughts !== before.thoughts) {
      clearTimeout(this.thought);
      this.thought = setTimeout(() => this.reflect(), THOUGHT_MS);
    }
    if (now.live.phase === "ended" && before.live.phase !== "ended") this.over();
  }

  /** The session has ended; its page stays until the worker goes on. */
  private over(): void {
    clearTimeout(this.thought);
    const { claim, socket } = this;
    this.socket = null;
    if (claim) {
      this.leases.letGo(claim.assignment);
      this.drafts.drop(claim.assignment);
    }
    // Not in the middle of what the socket is telling.
    queueMicrotask(() => socket?.done());
    void this.refreshStanding();
  }
}
