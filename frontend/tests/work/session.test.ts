import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  initialProgress,
  stepProgress,
  taskProgress,
  type WorkProgress,
  type ProgressAction,
} from "../../src/work/progress";
import type { Saved } from "../../src/work/drafts";
import { Problem } from "../../src/work/http";
import { WorkSession, type TaskInHand } from "../../src/work/session";
import { memoryStorage, type BrowserStorage } from "../../src/work/storage";
import { createStore, type Store } from "../../src/work/store";
import type { WorkApi } from "../../src/work/api";
import { workApi } from "../make";

interface Claim {
  assignment: string;
  lease_expires_at: string;
}
type Draft = Saved & { text: string };
type Api = WorkApi<Claim, string, Draft>;
type Own = { is: "own" };
type Action = ProgressAction<Own> | { type: "task"; lease_ends: number };

/** A tool as small as they come; it has the next task ready when told so, as the marker does. */
class Session extends WorkSession<Claim, string, Draft> {
  readonly did: string[] = [];
  ready: Claim | null = null;

  constructor(
    api: Api,
    protected override readonly store: Store<WorkProgress<Own>, Action>,
    keep: BrowserStorage,
  ) {
    super(api, store, keep, () => this.did.push("focus"));
  }

  protected override mayLookAgain(): boolean {
    return true;
  }

  protected prepare(claim: Claim): TaskInHand<Claim, Draft> {
    return { claim, draft: this.drafts.local(claim.assignment) as Draft | null };
  }

  protected show({ claim, draft }: TaskInHand<Claim, Draft>): void {
    this.did.push(`show ${claim.assignment} ${draft?.text ?? "fresh"}`);
    this.store.dispatch({ type: "task", lease_ends: Date.parse(claim.lease_expires_at) });
  }

  protected draftNow(active_s: number, saved_at: string): Draft {
    return { text: "half done", active_s, saved_at };
  }

  protected override pause(): void {
    this.did.push("pause");
  }

  protected override putAway(): void {
    super.putAway();
    if (this.ready) this.take({ claim: this.ready, draft: null });
  }
}

const claimOf = (assignment: string): Claim => ({ assignment, lease_expires_at: new Date(600_000).toISOString() });
/** The page, as far as a session looks at it. */
let view: EventTarget & { visibilityState: string };

/** A session that gets these tasks one by one, then none. */
function sessionWith(tasks: string[], own: Partial<Api> = {}, keep = memoryStorage()) {
  const api: Api = workApi(tasks, claimOf, own);
  const reduce = (state: WorkProgress<Own>, action: Action): WorkProgress<Own> => ({
    ...state,
    ...(action.type === "task" ? taskProgress(state, action.lease_ends) : stepProgress(action)),
  });
  const store = createStore(reduce, initialProgress(true) as WorkProgress<Own>);
  return { session: new Session(api, store, keep), store, api, keep };
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  view = Object.assign(new EventTarget(), { visibilityState: "visible" });
  vi.stubGlobal("document", view);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const refusing = (status: number, code: string) => async () => Promise.reject(new Problem(status, code, "why"));

test("a task is taken, answered and followed by the next, until there is none", async () => {
  const { session, store, api } = sessionWith(["a", "b"]);
  await session.start();
  await session.submit("yes");
  expect(session.claim?.assignment).toBe("b");
  await session.submit("no");
  expect(vi.mocked(api.submit).mock.calls.map(([assignment, answer]) => [assignment, answer])).toEqual([
    ["a", "yes"],
    ["b", "no"],
  ]);
  expect(store.get().screen).toEqual({ is: "finished" });
  expect(session.claim).toBeNull();
});

test("what was under way when the page went is sent first", async () => {
  const keep = memoryStorage();
  keep.write("unsent", { assignment: "a", answer: "yes", active_s: 3 });
  const { session, api } = sessionWith(["b"], {}, keep);
  await session.start();
  expect(api.submit).toHaveBeenCalledWith("a", "yes", 3, expect.anything());
  expect(vi.mocked(api.submit).mock.invocationCallOrder[0]).toBeLessThan(
    vi.mocked(api.claim).mock.invocationCallOrder[0] ?? 0,
  );
  expect(keep.read("unsent")).toBeNull();
});

test("an answer is kept until it has arrived", async () => {
  let arrive = (): void => {};
  const { session, keep } = sessionWith(["a"], { submit: () => new Promise((done) => (arrive = done)) });
  await session.start();
  const sent = session.submit("yes");
  expect(keep.read("unsent")).toMatchObject({ assignment: "a", answer: "yes" });
  arrive();
  await sent;
  expect(keep.read("unsent")).toBeNull();
});

test.each([
  [422, "bad_answer", { screen: { is: "judging" }, notice: { is: "refused_answer", detail: "why" } }, "a"],
  [409, "already_submitted", { screen: { is: "judging" }, notice: { is: "elsewhere" } }, "b"],
  [409, "lease_lost", { screen: { is: "lost", endedAt: 600_000 } }, "a"],
  [403, "blocked", { screen: { is: "refused", code: "blocked", detail: "why" } }, "a"],
  [401, "not_signed_in", { screen: { is: "refused", code: "bad_link", detail: "why" } }, "a"],
])("an answer refused with %i %s", async (status, code, seen, inHand) => {
  const { session, store } = sessionWith(["a", "b"], { submit: refusing(status, code) });
  await session.start();
  await session.submit("yes");
  expect(store.get()).toMatchObject({ ...seen, sending: { is: "idle" } });
  expect(session.claim?.assignment).toBe(inHand);
});

test("a lost lease keeps what was done here, until the worker takes a new task", async () => {
  const { session, store, keep } = sessionWith(["a", "b"], { heartbeat: refusing(409, "lease_lost") });
  await session.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(store.get().screen).toEqual({ is: "lost", endedAt: 600_000 });
  expect(keep.read("draft:a")).toMatchObject({ text: "half done" });
  await session.takeNew();
  expect(keep.read("draft:a")).toBeNull();
  expect(session.did).toEqual(["show a fresh", "focus", "pause", "show b fresh", "focus"]);
});

test.each([
  [409, "judging"],
  [404, "judging"],
  [403, "refused"],
])("a task given back and refused with %i ends in %s", async (status, screen) => {
  const { session, store } = sessionWith(["a", "b"], { release: refusing(status, "over") });
  await session.start();
  await session.release();
  expect(store.get().screen.is).toBe(screen);
  expect(session.did).toContain("pause");
});

test("out of view, what runs stands still and the draft goes out; without a change it does not", async () => {
  const { session, api } = sessionWith(["a"]);
  await session.start();
  const leave = (): void => void view.dispatchEvent(new Event("visibilitychange"));
  view.visibilityState = "hidden";
  leave();
  expect(session.did.at(-1)).toBe("pause");
  expect(api.saveDraft).not.toHaveBeenCalled();
  session["autosave"].saveSoon();
  leave();
  expect(api.saveDraft).toHaveBeenCalledWith("a", expect.objectContaining({ text: "half done" }), true);
});

test("a draft of the task in hand comes back, others are forgotten", async () => {
  const keep = memoryStorage();
  for (const name of ["a", "old"]) keep.write(`draft:${name}`, { text: `my ${name}`, active_s: 7, saved_at: "" });
  const { session } = sessionWith(["a"], {}, keep);
  await session.start();
  expect(session.did[0]).toBe("show a my a");
  expect(keep.names()).toEqual(["draft:a"]);
});

test("a task that is ready is in hand before the server is asked", async () => {
  const inHand: (string | undefined)[] = [];
  const { session } = sessionWith([], {
    claim: async () => {
      inHand.push(session.claim?.assignment);
      return claimOf(inHand.length === 1 ? "a" : "b");
    },
  });
  await session.start();
  session.ready = claimOf("b");
  await session.submit("yes");
  expect(inHand).toEqual([undefined, "b"]);
});

const GRACE: Partial<Api> = {
  workStatus: async () => ({
    progress: { done: 0, open: 9 },
    earned: { amount: "0.00", currency: "USD" },
    notice: null,
    grace_s: 60,
  }),
};

test("the last task is looked at again within the grace, corrected, and the present one comes back", async () => {
  const { session, store, api } = sessionWith(["a", "b"], GRACE);
  await session.start();
  await session.submit("yes");
  expect(store.get().again).toBe("offered");
  await session.lookAgain();
  expect(session.claim?.assignment).toBe("a");
  expect(store.get()).toMatchObject({ again: "open", notice: { is: "looking_again" }, lease_ends: 60_000 });
  expect(session.did.at(-2)).toBe("show a half done");
  vi.mocked(api.claim).mockResolvedValueOnce(claimOf("b"));
  await session.submit("no");
  expect(api.correct).toHaveBeenCalledWith("a", "no", expect.anything());
  expect(api.submit).toHaveBeenCalledTimes(1);
  expect(session.claim?.assignment).toBe("b");
  expect(store.get().again).toBe("offered");
  vi.advanceTimersByTime(60_000);
  expect(store.get().again).toBe("no");
  await session.lookAgain();
  expect(session.claim?.assignment).toBe("b");
});

test("the last task is left as it was, and nothing is sent", async () => {
  const { session, store, api } = sessionWith(["a", "b"], GRACE);
  await session.start();
  await session.submit("yes");
  await session.lookAgain();
  vi.mocked(api.claim).mockResolvedValueOnce(claimOf("b"));
  await session.lookAgain();
  expect(session.claim?.assignment).toBe("b");
  expect(api.correct).not.toHaveBeenCalled();
  expect(api.release).not.toHaveBeenCalled();
  expect(store.get().again).toBe("offered");
});

test("a correction that is refused says why and goes on", async () => {
  const { session, store, api } = sessionWith(["a", "b"], { ...GRACE, correct: refusing(409, "notice_given") });
  await session.start();
  await session.submit("yes");
  await session.lookAgain();
  vi.mocked(api.claim).mockResolvedValueOnce(claimOf("b"));
  await session.submit("no");
  expect(session.claim?.assignment).toBe("b");
  expect(store.get()).toMatchObject({ again: "no", notice: { is: "not_corrected", detail: "why" } });
});

test("after the very last task it can still be looked at again", async () => {
  const { session, store } = sessionWith(["a"], GRACE);
  await session.start();
  await session.submit("yes");
  expect(store.get().screen.is).toBe("finished");
  await session.lookAgain();
  expect(session.claim?.assignment).toBe("a");
  expect(store.get().screen.is).toBe("judging");
});

test("without a grace nothing is offered", async () => {
  const { session, store } = sessionWith(["a", "b"]);
  await session.start();
  await session.submit("yes");
  expect(store.get().again).toBe("no");
});
