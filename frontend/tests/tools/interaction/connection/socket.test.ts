import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Socket, type Listeners, type SocketEvents } from "../../../../src/tools/interaction/connection/socket";
import {
  CLOSE,
  readFrame,
  type FromServer,
  type Message,
  type ToServer,
} from "../../../../src/tools/interaction/connection/wire";
import { memoryStorage, type BrowserStorage } from "../../../../src/work/storage";
import { eventOf, server, welcome } from "../make";

/** Every connection that was made, with what was sent over it. */
interface Wired {
  on: Listeners;
  sent: ToServer[];
  isClosed: boolean;
}

let page: EventTarget;
let wires: Wired[];
let told: string[];

beforeEach(() => {
  vi.useFakeTimers();
  page = new EventTarget();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
  wires = [];
  told = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const ids = (): (() => string) => {
  let count = 0;
  return () => `page-${(count += 1)}`;
};

function open(keep: BrowserStorage = memoryStorage(), newId = ids(), own: Partial<SocketEvents> = {}): Socket {
  const socket = new Socket({
    url: "ws://here/ws/work/a/",
    token: "token",
    keep,
    name: "socket:a",
    newId,
    connect: (_, on) => {
      const wire: Wired = { on, sent: [], isClosed: false };
      wires.push(wire);
      return {
        send: (text) => void wire.sent.push(JSON.parse(text) as ToServer),
        close: () => void (wire.isClosed = true),
      };
    },
    on: {
      welcome: () => told.push("welcome"),
      event: (event) => told.push(`event ${event.seq}`),
      refused: (message) => told.push(`refused ${message.cseq}`),
      line: (isUp, attempt) => told.push(isUp ? "up" : `down ${attempt}`),
      over: (code) => told.push(`over ${code}`),
      ...own,
    },
  });
  socket.open();
  return socket;
}

const wire = (): Wired => wires.at(-1) as Wired;
const hears = (frame: FromServer): void => wire().on.message(JSON.stringify(frame));
function greeted(last_cseq = 0): void {
  wire().on.opened();
  hears(welcome({}, { last_cseq }));
}
function begun(): Socket {
  const socket = open();
  greeted();
  return socket;
}
const start: Message = { type: "start", body: {} };
const cseqs = (): number[] => wire().sent.flatMap((frame) => (frame.t === "send" ? [frame.cseq] : []));

describe("coming back", () => {
  test("after a cut it connects again by itself, and sends what was not acknowledged", () => {
    const socket = begun();
    socket.send(start);
    wire().on.closed(1006);
    expect(told).toEqual(["up", "welcome", "down 1"]);
    vi.advanceTimersByTime(1_000);
    expect(wires).toHaveLength(2);
    greeted();
    expect(cseqs()).toEqual([1]);
  });

  test("a line that says nothing any more is taken for dead", () => {
    begun();
    vi.advanceTimersByTime(15_000);
    expect(wire().sent.at(-1)).toEqual({ t: "ping", n: 1 });
    hears({ t: "pong", n: 1 });
    vi.advanceTimersByTime(14_999);
    expect(told).not.toContain("down 1");
    vi.advanceTimersByTime(9_000);
    expect(told).toContain("down 1");
    expect(wires[0]?.isClosed).toBe(true);
  });

  test("a line that answers no message is taken for dead, however many are sent", () => {
    const socket = begun();
    for (let second = 0; second < 8; second += 1) {
      expect(told).not.toContain("down 1");
      socket.send(start);
      vi.advanceTimersByTime(1_000);
    }
    expect(told).toContain("down 1");
    expect(socket.unsent).toHaveLength(8);
  });

  test("a line that answers is not", () => {
    begun().send(start);
    vi.advanceTimersByTime(7_000);
    hears({ t: "ack", cseq: 1, seq: 1, dup: false });
    vi.advanceTimersByTime(7_000);
    expect(told).not.toContain("down 1");
  });

  test("when the browser is online again it does not wait", () => {
    begun();
    page.dispatchEvent(new Event("offline"));
    expect(told.at(-1)).toBe("down 1");
    page.dispatchEvent(new Event("online"));
    expect(wires).toHaveLength(2);
  });

  test("frames of an old connection are ignored", () => {
    begun();
    const old = wire();
    page.dispatchEvent(new Event("offline"));
    old.on.message(JSON.stringify(eventOf(server("prompt", { text: "a" }), 1)));
    expect(told).not.toContain("event 1");
  });

  test("taken over by another page it stays away until it is asked for", () => {
    const socket = begun();
    wire().on.closed(CLOSE.replaced);
    vi.advanceTimersByTime(60_000);
    expect(told.at(-1)).toBe(`over ${CLOSE.replaced}`);
    expect(wires).toHaveLength(1);
    socket.again();
    greeted(4);
    socket.send(start);
    expect(cseqs()).toEqual([5]);
  });
});

describe("a reload", () => {
  test("goes on under the same name with what was not acknowledged", () => {
    const keep = memoryStorage();
    const newId = ids();
    open(keep, newId).send(start);
    page.dispatchEvent(new Event("pagehide"));
    const socket = open(keep, newId);
    expect(socket.unsent).toEqual([{ cseq: 1, ...start }]);
    wire().on.opened();
    expect(wire().sent[0]).toEqual({ t: "hello", token: "token", resume: "page-1", have: 0 });
  });

  test("a copied tab goes under a name of its own", () => {
    const keep = memoryStorage();
    const newId = ids();
    open(keep, newId);
    open(keep, newId);
    wire().on.opened();
    expect(wire().sent[0]).toMatchObject({ resume: "page-2" });
  });

  test("whatever was stored there, it works", () => {
    const keep = memoryStorage();
    keep.write("socket:a", { resume: 5, outbox: "none" });
    open(keep);
    wire().on.opened();
    expect(wire().sent[0]).toMatchObject({ t: "hello", resume: "page-1" });
  });

  test("of a session that is over nothing is left", () => {
    const keep = memoryStorage();
    const socket = open(keep);
    socket.send(start);
    socket.done();
    expect(keep.names()).toEqual([]);
    page.dispatchEvent(new Event("pagehide"));
    expect(keep.names()).toEqual([]);
  });
});

test("what is sent while the outbox is on its way comes behind it", () => {
  let socket: Socket | null = null;
  socket = open(memoryStorage(), ids(), { welcome: () => socket?.send({ type: "finish", body: {} }) });
  socket.send(start);
  greeted();
  expect(cseqs()).toEqual([1, 2]);
});

test("what cannot be read is passed over", () => {
  const unreadable = ["{", "null", "[]", '{"t":"weather"}', new Blob()];
  expect(unreadable.map(readFrame)).toEqual([null, null, null, null, null]);
  expect(readFrame('{"t":"pong","n":1}')).toEqual({ t: "pong", n: 1 });
});
