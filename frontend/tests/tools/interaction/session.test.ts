import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Answer, Claim, Draft } from "../../../src/tools/interaction/payload";
import { Session } from "../../../src/tools/interaction/session";
import type { Listeners } from "../../../src/tools/interaction/connection/socket";
import { initialState, reduce } from "../../../src/tools/interaction/state";
import type { FromServer, Message, ToServer } from "../../../src/tools/interaction/connection/wire";
import { memoryStorage } from "../../../src/work/storage";
import { createStore } from "../../../src/work/store";
import type { WorkApi } from "../../../src/work/api";
import { workApi } from "../../make";
import { eventOf, PAYLOAD, server, START_MS, welcome, worker } from "./make";

let page: EventTarget & { visibilityState: string };

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS });
  page = Object.assign(new EventTarget(), { visibilityState: "visible" });
  vi.stubGlobal("document", page);
  vi.stubGlobal("location", { protocol: "https:", host: "crosswalk.test" });
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

interface Wire {
  url: string;
  on: Listeners;
  sent: ToServer[];
}

const claimOf = (assignment: string): Claim => ({
  assignment,
  tool: "interaction",
  lease_expires_at: new Date(START_MS + 600_000).toISOString(),
  payload: PAYLOAD,
  draft: null,
});

/** A worker's page that gets these sessions one by one; `keeps` are what outlived a reload. */
async function sit(
  tasks: string[],
  own: Partial<WorkApi<Claim, Answer, Draft>> = {},
  keeps = { browser: memoryStorage(), tab: memoryStorage() },
) {
  const api = workApi(tasks, claimOf, own);
  const wires: Wire[] = [];
  const store = createStore(reduce, initialState(true));
  const session = new Session(api, store, keeps.browser, {
    token: "token",
    focusTask: () => {},
    ofTab: keeps.tab,
    connect: (url, on) => {
      const wire: Wire = { url, on, sent: [] };
      wires.push(wire);
      return { send: (text) => void wire.sent.push(JSON.parse(text) as ToServer), close: () => {} };
    },
  });
  await session.start();
  const wire = (): Wire => wires.at(-1) as Wire;
  const hears = (...frames: FromServer[]): void => frames.forEach((frame) => wire().on.message(JSON.stringify(frame)));
  const greet = (): void => {
    wire().on.opened();
    hears(welcome({ phase: "running" }));
  };
  const sent = (): string[] => wire().sent.flatMap((frame) => (frame.t === "send" ? [frame.type] : []));
  return { session, store, api, wires, wire, hears, greet, sent, keeps };
}

const command: Message = { type: "command", body: { id: "c1", text: "dig" } };
const POSE = { x: 3, y: 1, z: 3, pitch: 0, yaw: 0 };

describe("a session in hand", () => {
  test("has its own socket, and the socket keeps the hold", async () => {
    const { wire, api } = await sit(["a"]);
    expect(wire().url).toBe("wss://crosswalk.test/ws/work/a/");
    vi.advanceTimersByTime(600_000);
    expect(api.heartbeat).not.toHaveBeenCalled();
  });

  test("shows what was sent at once, and again after a reload", async () => {
    const first = await sit(["a"]);
    first.session.send(command);
    first.session.send({ type: "place", body: { at: [2, 1, 2], block: 60 } });
    page.dispatchEvent(new Event("pagehide"));
    const second = await sit(["a"], {}, first.keeps);
    for (const { store, session } of [first, second]) {
      expect(store.get().live.talk.map(({ text }) => text)).toEqual(["dig"]);
      expect(session.world?.get(2, 1, 2)).toBe(60);
    }
    second.greet();
    expect(second.sent()).toEqual(["command", "place"]);
  });

  test("keeps what is typed and where the worker stands in this browser alone", async () => {
    const { store, session, greet, api, keeps } = await sit(["a"]);
    greet();
    store.dispatch({ type: "write", text: "half ty" });
    session.moved(POSE);
    vi.advanceTimersByTime(500);
    const again = await sit(["a"], {}, keeps);
    expect(again.store.get().text).toBe("half ty");
    expect(again.session.place).toEqual(POSE);
    expect(api.saveDraft).not.toHaveBeenCalled();
  });

  test("tells the worker's place twice a second at most, only when it is another, and only the last after a cut", async () => {
    const { session, greet, wire, sent } = await sit(["a"]);
    greet();
    for (let x = 0; x < 10; x += 1) {
      session.moved({ ...POSE, x });
      vi.advanceTimersByTime(100);
    }
    expect(sent()).toEqual(["pose", "pose"]);
    vi.advanceTimersByTime(5_000);
    expect(sent()).toHaveLength(2);
    wire().on.closed(1006);
    session.moved({ ...POSE, x: 1 });
    vi.advanceTimersByTime(1_000);
    session.moved({ ...POSE, x: 2 });
    greet();
    vi.advanceTimersByTime(500);
    const bodies = wire().sent.flatMap((frame) => (frame.t === "send" ? [frame.body] : []));
    expect(bodies).toContainEqual({ ...POSE, x: 2 });
    expect(bodies).not.toContainEqual({ ...POSE, x: 1 });
  });

  test("sends the ratings when the worker pauses, and what changed since before it finishes", async () => {
    const { store, session, greet, sent } = await sit(["a"]);
    greet();
    store.dispatch({ type: "think", thoughts: { usability: 6, performance: 4 } });
    vi.advanceTimersByTime(1_000);
    expect(sent()).toEqual(["reflect"]);
    store.dispatch({ type: "think", thoughts: { feedback: "good" } });
    session.finish();
    expect(sent()).toEqual(["reflect", "reflect", "finish"]);
  });
});

describe("the end", () => {
  test("is shown until the worker wants another session", async () => {
    const { store, hears, greet, session, wires, keeps } = await sit(["a", "b"]);
    greet();
    hears(eventOf(worker("start", {}), 1), eventOf(server("closed", { reason: "finished" }), 2));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(store.get().live).toMatchObject({ phase: "ended", reason: "finished" });
    expect(wires).toHaveLength(1);
    expect([...keeps.tab.names(), ...keeps.browser.names().filter((name) => name.startsWith("draft"))]).toEqual([]);
    await session.takeNew();
    expect(store.get()).toMatchObject({ task: { assignment: "b" }, live: { phase: "before" } });
  });

  test("of one's own will says so, and takes no other", async () => {
    const { store, session, api, greet } = await sit(["a", "b"]);
    greet();
    await session.leaveEarly();
    expect(api.release).toHaveBeenCalledWith("a", expect.anything());
    expect(store.get()).toMatchObject({
      task: { assignment: "a" },
      live: { phase: "ended", reason: "left" },
      sending: { is: "idle" },
    });
  });

  test("nothing is sent any more", async () => {
    const { session, hears, greet, sent } = await sit(["a"]);
    greet();
    hears(eventOf(server("closed", { reason: "staff" }), 1));
    session.send(command);
    expect(sent()).toEqual([]);
  });
});
