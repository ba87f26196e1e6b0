import { describe, expect, test } from "vitest";
import {
  backoff_ms,
  begin,
  fresh,
  step,
  type ConnectionState,
  type Effect,
  type Input,
} from "../../../../src/tools/interaction/connection/protocol";
import {
  CLOSE,
  type FromServer,
  type Message,
  type Numbered,
  type ToServer,
} from "../../../../src/tools/interaction/connection/wire";
import { numbers } from "../../../world/make";
import { eventOf, server, welcome } from "../make";

const say = (text: string): Message => ({ type: "command", body: { id: text, text } });

/** Each input in turn; what the last one made happen. */
function run(state: ConnectionState, ...inputs: Input[]): [ConnectionState, readonly Effect[]] {
  let effects: readonly Effect[] = [];
  for (const input of inputs) [state, effects] = step(state, input);
  return [state, effects];
}

const frame = (one: FromServer): Input => ({ is: "frame", frame: one });
const cseqs = (effects: readonly Effect[]): number[] =>
  effects.flatMap((one) => (one.do === "send" && one.frame.t === "send" ? [one.frame.cseq] : []));
const fault = (code: "gap" | "rate" | "invalid" | "stale" | "closed", last_cseq: number | null): FromServer => ({
  t: "error",
  code,
  detail: "no",
  last_cseq,
});

const BEGUN = begin("token", fresh("page-1"));
const [OPEN] = run(BEGUN, { is: "opened" }, frame(welcome()));
const [WITH_THREE] = run(OPEN, ...["one", "two", "three"].map((text): Input => ({ is: "send", message: say(text) })));

describe("the greeting", () => {
  test("says who it is and what it has, and nothing else before the welcome", () => {
    const [state, effects] = run(BEGUN, { is: "send", message: say("early") }, { is: "opened" });
    expect(effects).toEqual([{ do: "send", frame: { t: "hello", token: "token", resume: "page-1", have: 0 } }]);
    expect(run(state, { is: "send", message: say("also early") })[1]).toEqual([]);
    expect(cseqs(run(state, frame(welcome()))[1])).toEqual([1]);
  });

  test("after a cut it tells the last event that it has", () => {
    const [state] = run(OPEN, frame(eventOf(server("prompt", { text: "a" }), 7)), { is: "closed", code: 1006 });
    expect(run(state, { is: "opened" })[1]).toEqual([
      { do: "send", frame: { t: "hello", token: "token", resume: "page-1", have: 7 } },
    ]);
  });

  test("what the server has is not sent again, the rest is", () => {
    const [state] = run(WITH_THREE, { is: "closed", code: 1006 }, { is: "opened" });
    const [after, effects] = run(state, frame(welcome({}, { last_cseq: 2 })));
    expect(cseqs(effects)).toEqual([3]);
    expect(after.next).toBe(4);
  });

  test("where another page has sent since, what is held is numbered anew", () => {
    const [state] = run(WITH_THREE, { is: "closed", code: CLOSE.replaced }, { is: "opened" });
    const [after, effects] = run(state, frame(welcome({}, { last_cseq: 12, same: false })));
    expect(cseqs(effects)).toEqual([13, 14, 15]);
    expect(after.outbox.map((one) => one.body)).toEqual(WITH_THREE.outbox.map((one) => one.body));
    expect(after.next).toBe(16);
  });

  test("a page that kept nothing goes on where the server is", () => {
    const [state] = run(begin("token", fresh("page-1")), { is: "opened" }, frame(welcome({}, { last_cseq: 9 })));
    expect(cseqs(run(state, { is: "send", message: say("ten") })[1])).toEqual([10]);
  });
});

describe("messages", () => {
  test("are kept until they are acknowledged", () => {
    const [state] = run(WITH_THREE, frame({ t: "ack", cseq: 2, seq: 5, dup: false }));
    expect(state.outbox.map(({ cseq }) => cseq)).toEqual([3]);
  });

  test("that the server will not have are let go, and it is said which", () => {
    const [before] = run(WITH_THREE, frame({ t: "ack", cseq: 1, seq: 1, dup: false }));
    const [state, effects] = run(before, frame(fault("invalid", 2)));
    expect(effects).toEqual([{ do: "refused", message: { cseq: 2, ...say("two") }, detail: "no" }]);
    expect(state.outbox.map(({ cseq }) => cseq)).toEqual([3]);
  });

  test("after a gap are sent again at once, but only once; then after a pause", () => {
    const [once, first] = run(WITH_THREE, frame(fault("gap", 1)));
    expect(cseqs(first)).toEqual([2, 3]);
    const [twice, second] = run(once, frame(fault("gap", 1)));
    expect(second).toEqual([{ do: "pause", ms: 1000 }]);
    expect(cseqs(run(twice, { is: "on" })[1])).toEqual([2, 3]);
  });

  test("wait while the server asks for a pause, and then all are sent in order", () => {
    const [waiting, effects] = run(WITH_THREE, frame(fault("rate", 1)));
    expect(effects).toEqual([{ do: "pause", ms: 1000 }]);
    const [more, nothing] = run(waiting, frame(fault("gap", 1)), { is: "send", message: say("four") });
    expect(nothing).toEqual([]);
    expect(cseqs(run(more, { is: "on" })[1])).toEqual([2, 3, 4]);
  });

  test("are let go when the session is over", () => {
    expect(run(WITH_THREE, frame(fault("closed", 1)))[0].outbox).toEqual([]);
  });

  test("are kept where the token is refused: a new page may send them", () => {
    expect(run(WITH_THREE, { is: "closed", code: CLOSE.token })[0].outbox).toHaveLength(3);
  });
});

describe("events", () => {
  test("are reported once each", () => {
    const event = eventOf(server("prompt", { text: "a" }), 4);
    const [state, effects] = run(OPEN, frame(event));
    expect(effects).toEqual([{ do: "event", event }]);
    expect(run(state, frame(event))[1]).toEqual([]);
    expect(run(state, frame(eventOf(server("prompt", { text: "b" }), 3)))[1]).toEqual([]);
  });
});

describe("the end of a connection", () => {
  test.each([[1006], [1001], [CLOSE.noHello], [1011]])("%i is come back from", (code) => {
    expect(run(OPEN, { is: "closed", code })[1]).toEqual([{ do: "reconnect" }]);
  });

  test.each(Object.values(CLOSE).filter((code) => code !== CLOSE.noHello))("%i is final", (code) => {
    const [state, effects] = run(OPEN, { is: "closed", code });
    expect(effects).toEqual([{ do: "over", code }]);
    expect(state.phase).toBe("over");
  });

  test("a stale connection is over once, not twice", () => {
    const [state, effects] = run(OPEN, frame(fault("stale", 0)));
    expect(effects).toEqual([{ do: "over", code: CLOSE.replaced }]);
    expect(run(state, { is: "closed", code: CLOSE.replaced })[1]).toEqual([]);
  });

  test("a ping is answered", () => {
    expect(run(OPEN, frame({ t: "ping", n: 3 }))[1]).toEqual([{ do: "send", frame: { t: "pong", n: 3 } }]);
  });
});

test("waits grow from a quarter of a second to eight", () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 50].map((attempt) => backoff_ms(attempt, () => 1));
  expect(longest).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
  for (const attempt of [1, 2, 3, 6, 9]) expect(backoff_ms(attempt, () => 0)).toBeGreaterThanOrEqual(250);
});

/** As the server counts: the next number only, each once, and now and then none for a while. */
class Server {
  readonly log: Numbered[] = [];
  private last = 0;
  private credit = 0;

  constructor(private readonly random: () => number) {}

  hears(one: ToServer): FromServer[] {
    if (one.t === "hello")
      return [
        welcome({}, { last_cseq: this.last, last_seq: this.log.length }),
        ...this.log.slice(one.have).map((kept, index) => this.eventAt(one.have + index + 1, kept)),
      ];
    if (one.t !== "send") return [];
    if (this.credit > 0 || this.random() < 0.03) {
      this.credit = this.credit > 0 ? this.credit - 1 : 2;
      return [fault("rate", this.last)];
    }
    const { t: _, ...message } = one;
    if (one.cseq <= this.last) return [{ t: "ack", cseq: one.cseq, seq: one.cseq, dup: true }];
    if (one.cseq > this.last + 1) return [fault("gap", this.last)];
    this.last = one.cseq;
    this.log.push(message);
    return [{ t: "ack", cseq: one.cseq, seq: this.log.length, dup: false }, this.eventAt(this.log.length, message)];
  }

  private eventAt(seq: number, message: Numbered): FromServer {
    return {
      t: "event",
      seq,
      from: "worker",
      type: message.type,
      body: message.body,
      at: "2026-01-05T10:00:00Z",
    } as FromServer;
  }
}

/** Frames under way are lost at a cut, on either side; a reload keeps the stored frames alone. */
function simulate(
  seed: number,
  messages: number,
): { sent: string[]; logged: string[]; read: number[][]; steps: number } {
  const random = numbers(seed);
  const its = new Server(random);
  let state = begin("token", fresh("page-1"));
  let [up, down]: [ToServer[], FromServer[]] = [[], []];
  let isPaused = false;
  const sent: string[] = [];
  // The events that each page since the last reload has read.
  const read: number[][] = [[]];

  const take = (input: Input): void => {
    const [next, effects] = step(state, input);
    state = next;
    for (const effect of effects) {
      if (effect.do === "send") up.push(effect.frame);
      if (effect.do === "event") read.at(-1)?.push(effect.event.seq);
      if (effect.do === "pause") isPaused = true;
      expect(effect.do).not.toBe("refused");
    }
  };
  const cut = (): void => {
    [up, down] = [[], []];
    isPaused = false;
    if (state.phase !== "down") take({ is: "closed", code: 1006 });
  };

  let steps = 0;
  for (; steps < 60_000; steps += 1) {
    const isDone = sent.length === messages;
    if (isDone && state.phase === "open" && state.outbox.length === 0 && down.length === 0 && up.length === 0) break;
    const dice = random();
    if (dice < 0.02) cut();
    else if (dice < 0.03) {
      cut();
      const { resume, next, outbox } = state;
      state = begin("token", JSON.parse(JSON.stringify({ resume, next, outbox })) as ReturnType<typeof fresh>);
      read.push([]);
    } else if (state.phase === "down") take({ is: "opened" });
    else if (dice < 0.25 && !isDone) {
      const text = `command ${sent.length}`;
      sent.push(text);
      take({ is: "send", message: say(text) });
    } else if (dice < 0.3 && isPaused) {
      isPaused = false;
      take({ is: "on" });
    } else if (dice < 0.65) {
      const frameUp = up.shift();
      if (frameUp) down.push(...its.hears(frameUp));
    } else {
      const frameDown = down.shift();
      if (frameDown) take(frame(frameDown));
    }
  }
  return { sent, logged: its.log.map((one) => (one.body as { text: string }).text), read, steps };
}

test.each(Array.from({ length: 40 }, (_, seed) => [seed + 1]))(
  "with cuts, reloads and refusals nothing is lost, nothing comes twice, all in order (seed %i)",
  (seed) => {
    const { sent, logged, read, steps } = simulate(seed, 60);
    expect(steps).toBeLessThan(60_000);
    expect(logged).toEqual(sent);
    for (const seqs of read) expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect(read.at(-1)).toHaveLength(sent.length);
  },
);
