/**
 * The work session of the live tool: it takes a session, connects its socket, and waits for the worker after the end.
 */

import { WorkSession, type TaskInHand } from "../../work/session";
import type { BrowserStorage } from "../../work/storage";
import type { Store } from "../../work/store";
import type { WorkApi } from "../../work/api";
import type { Pose } from "../../world/frame";
import { isSamePose, soundDraft, wirePose } from "./drafts";
import type { Answer, Claim, Draft } from "./payload";
import { Socket, socketUrl, type Connect } from "./connection/socket";
import { unreflected, type Action, type InteractionState } from "./state";
import type { Message } from "./connection/wire";
import { WorldNow } from "./world";

/** The worker's pose is sent at most twice a second. */
const POSE_MS = 500;
/** The ratings are sent this long after the last change. */
const THOUGHT_MS = 800;

export interface SessionOptions {
  token: string;
  focusTask: () => void;
  /** The storage of this tab: it survives a reload, but not the tab. */
  ofTab: BrowserStorage;
  connect?: Connect;
}

export class Session extends WorkSession<Claim, Answer, Draft> {
  /** The world of the current session. */
  world: WorldNow | null = null;
  private socket: Socket | null = null;
  private isGoing = false;
  private pose: Pose | null = null;
  private sentPose: Pose | null = null;
  private thought: ReturnType<typeof setTimeout> | undefined;

  constructor(
    api: WorkApi<Claim, Answer, Draft>,
    protected override readonly store: Store<InteractionState, Action>,
    keep: BrowserStorage,
    private readonly options: SessionOptions,
  ) {
    super(api, store, keep, options.focusTask);
    store.subscribe((now, before) => this.follow(now, before));
    setInterval(() => this.sendPose(), POSE_MS);
  }

  protected prepare(claim: Claim): TaskInHand<Claim, Draft> {
    return { claim, draft: soundDraft(this.drafts.local(claim.assignment)) };
  }

  protected show({ claim, draft }: TaskInHand<Claim, Draft>): void {
    const { assignment, payload } = claim;
    const { dispatch } = this.store;
    // The socket renews the hold, and only while the worker is active.
    this.leases.letGo(assignment);
    this.world = new WorldNow(payload.world);
    this.pose = draft?.pose ?? payload.world.player;
    this.sentPose = this.pose;
    dispatch({
      type: "task",
      task: { assignment, payload },
      text: draft?.text ?? "",
      feedback: draft?.remark ?? "",
      ownWords: draft?.wrote ?? null,
      lease_ends: Date.parse(claim.lease_expires_at),
      now: Date.now(),
    });
    const { token, ofTab, connect } = this.options;
    const socket = new Socket({
      url: socketUrl(assignment),
      token,
      keep: ofTab,
      name: `socket:${assignment}`,
      ...(connect ? { connect } : {}),
      on: {
        welcome: (welcome) => dispatch({ type: "live", action: { type: "welcome", welcome, now: Date.now() } }),
        event: (event) => {
          this.world?.apply(event);
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
    // Messages that were on their way before a reload are still unsent.
    for (const message of socket.unsent) this.expect(message);
    socket.open();
  }

  protected draftNow(active_s: number, saved_at: string): Draft {
    const { text, thoughts, ownWords } = this.store.get();
    return { text, remark: thoughts.feedback, wrote: ownWords, pose: this.pose, active_s, saved_at };
  }

  /** The pose of the worker when the world opens. */
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

  /** Takes the session back after another page opened it. */
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

  /** After leaving, the worker first reads how the session ended and then asks for the next one. */
  protected override async takeNext(): Promise<void> {
    if (!this.isGoing) return super.takeNext();
    this.store.dispatch({ type: "sending", sending: { is: "idle" } });
    this.store.dispatch({ type: "live", action: { type: "ended", reason: "left" } });
    void this.refreshWorkStatus();
    void this.refreshSummary();
  }

  protected override putAway(): void {
    super.putAway();
    this.socket?.done();
    this.socket = null;
  }

  protected override hidden(): void {
    super.hidden();
    // Walking alone saves no draft, and the latest pose may not be sent yet.
    if (this.pose && !isSamePose(this.pose, this.sentPose)) this.autosave.persist();
  }

  protected override lost(assignment: string): void {
    if (assignment === this.claim?.assignment && !this.store.get().live.isFinishing)
      this.store.dispatch({ type: "live", action: { type: "ended", reason: "expired" } });
  }

  /** Shows the effect of a message before the server has it. */
  private expect(message: Message): void {
    this.world?.sent(message);
    this.store.dispatch({ type: "live", action: { type: "sent", message, now: Date.now() } });
  }

  private sendPose(): void {
    const { pose } = this;
    // While the connection is down only the latest pose matters; it is sent after the reconnect.
    if (!pose || !this.socket?.isUp || isSamePose(pose, this.sentPose)) return;
    this.sentPose = pose;
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
    if (now.text !== before.text || now.thoughts !== before.thoughts || now.ownWords !== before.ownWords)
      this.autosave.persist();
    if (now.thoughts !== before.thoughts) {
      clearTimeout(this.thought);
      this.thought = setTimeout(() => this.reflect(), THOUGHT_MS);
    }
    if (now.live.phase === "ended" && before.live.phase !== "ended") this.over();
  }

  /** The session has ended. Its page stays until the worker goes on. */
  private over(): void {
    clearTimeout(this.thought);
    const { claim, socket } = this;
    this.socket = null;
    if (claim) {
      this.leases.letGo(claim.assignment);
      this.drafts.drop(claim.assignment);
    }
    // The socket may still be delivering an event.
    queueMicrotask(() => socket?.done());
    void this.refreshWorkStatus();
    void this.refreshSummary();
  }
}
