/** The worker's WebSocket: it speaks the protocol, reconnects by itself and keeps unsent messages. */

import type { BrowserStorage } from "../../../work/storage";
import { backoff_ms, begin, fresh, step, type ConnectionState, type Effect, type Input, type Kept } from "./protocol";
import { readFrame, type Event, type FromServer, type Message, type Numbered, type Welcome } from "./wire";

export interface SocketEvents {
  welcome(welcome: Welcome): void;
  event(event: Event): void;
  refused(message: Numbered, detail: string): void;
  /** Whether the connection is up; if not, `attempt` counts the tries to connect. */
  line(isUp: boolean, attempt: number): void;
  /** Closed until `again` is called; the codes are in CLOSE. */
  over(code: number): void;
}

/** The part of a WebSocket that is used. */
export interface SocketLike {
  send(text: string): void;
  close(code?: number): void;
}

export interface Listeners {
  opened(): void;
  message(data: unknown): void;
  closed(code: number): void;
}

export type Connect = (url: string, on: Listeners) => SocketLike;

export interface SocketParts {
  url: string;
  token: string;
  /** The storage of this tab: it survives a reload, but not the tab. */
  keep: BrowserStorage;
  /** The name of the session in this storage. */
  name: string;
  on: SocketEvents;
  connect?: Connect;
  newId?: () => string;
}

const PING_MS = 15_000;
/** The connection counts as lost after this time without a frame, following a message, a ping or the connect. */
const SILENCE_MS = 8_000;

interface Stored extends Kept {
  /** Set when the page is left. If it is missing, this tab may be a copy of one that is still open. */
  wasLeft: boolean;
}

export class Socket {
  private state: ConnectionState;
  private wire: SocketLike | null = null;
  private attempt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pause: ReturnType<typeof setTimeout> | undefined;
  private pinger: ReturnType<typeof setInterval> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private pings = 0;
  private readonly inputs: Input[] = [];
  private isDone = false;

  constructor(private readonly parts: SocketParts) {
    const newId = parts.newId ?? (() => crypto.randomUUID());
    const stored = soundKept(parts.keep.read<Partial<Stored>>(parts.name));
    const kept = stored ?? fresh(newId());
    // A copied tab must not send under the same name and numbers as the original.
    this.state = begin(parts.token, stored && !stored.wasLeft ? { ...kept, resume: newId() } : kept);
    this.store(false);
    addEventListener("pagehide", this.onHide);
    addEventListener("pageshow", this.onShow);
    addEventListener("online", this.onOnline);
    addEventListener("offline", this.onOffline);
  }

  /** Messages of this tab that are not known to have arrived. */
  get unsent(): readonly Numbered[] {
    return this.state.outbox;
  }

  get isUp(): boolean {
    return this.state.phase === "open" || this.state.phase === "waiting";
  }

  open(): void {
    if (this.isDone || this.wire) return;
    clearTimeout(this.timer);
    const connect = this.parts.connect ?? connectInBrowser;
    const wire: SocketLike = connect(this.parts.url, {
      opened: () => this.wire === wire && this.take({ is: "opened" }),
      message: (data) => this.wire === wire && this.onMessage(data),
      closed: (code) => this.wire === wire && this.onClosed(code),
    });
    this.wire = wire;
    this.expectWord();
  }

  send(message: Message): void {
    if (this.state.phase !== "over") this.take({ is: "send", message });
  }

  /** Takes the session back after another page took it. */
  again(): void {
    if (this.isDone) return;
    this.state = { ...this.state, phase: "down" };
    this.attempt = 0;
    this.open();
  }

  /** The session is over, or another one starts: removes everything stored. */
  done(): void {
    this.isDone = true;
    clearTimeout(this.timer);
    removeEventListener("pagehide", this.onHide);
    removeEventListener("pageshow", this.onShow);
    removeEventListener("online", this.onOnline);
    removeEventListener("offline", this.onOffline);
    this.drop();
    this.parts.keep.drop(this.parts.name);
  }

  /** Handles inputs one after the other: a message that a listener sends now follows the whole outbox. */
  private take(input: Input): void {
    this.inputs.push(input);
    if (this.inputs.length > 1) return;
    for (let next = this.inputs[0]; next; next = this.inputs[0]) {
      const before = this.state;
      const [state, effects] = step(before, next);
      this.state = state;
      // Stored before it is sent, so that nothing is lost if the page ends in between.
      if (state.outbox !== before.outbox || state.next !== before.next) this.store(false);
      for (const effect of effects) this.run(effect);
      this.inputs.shift();
    }
  }

  private run(effect: Effect): void {
    const { on } = this.parts;
    switch (effect.do) {
      case "send":
        this.wire?.send(JSON.stringify(effect.frame));
        // Every message is answered. A second message does not extend the waiting time.
        if (effect.frame.t === "send" && this.silence === undefined) this.expectWord();
        return;
      case "event":
        return on.event(effect.event);
      case "welcome":
        this.attempt = 0;
        this.startPinging();
        on.line(true, 0);
        return on.welcome(effect.welcome);
      case "refused":
        return on.refused(effect.message, effect.detail);
      case "pause":
        clearTimeout(this.pause);
        this.pause = setTimeout(() => this.take({ is: "on" }), effect.ms);
        return;
      case "reconnect":
        this.attempt += 1;
        on.line(false, this.attempt);
        this.timer = setTimeout(() => this.open(), backoff_ms(this.attempt));
        return;
      case "over":
        this.drop();
        return on.over(effect.code);
    }
  }

  private onMessage(data: unknown): void {
    this.expectNothing();
    const frame: FromServer | null = readFrame(data);
    if (frame) this.take({ is: "frame", frame });
  }

  private onClosed(code: number): void {
    this.drop();
    this.take({ is: "closed", code });
  }

  /** Closes the socket and ignores all further frames. */
  private drop(): void {
    clearTimeout(this.pause);
    this.expectNothing();
    clearInterval(this.pinger);
    const { wire } = this;
    this.wire = null;
    wire?.close();
  }

  private startPinging(): void {
    clearInterval(this.pinger);
    this.pinger = setInterval(() => this.ping(), PING_MS);
  }

  private ping(): void {
    this.pings += 1;
    this.wire?.send(JSON.stringify({ t: "ping", n: this.pings }));
    this.expectWord();
  }

  private expectWord(): void {
    this.expectNothing();
    this.silence = setTimeout(() => this.onClosed(0), SILENCE_MS);
  }

  private expectNothing(): void {
    clearTimeout(this.silence);
    this.silence = undefined;
  }

  private store(wasLeft: boolean): void {
    const { resume, next, outbox } = this.state;
    this.parts.keep.write(this.parts.name, { resume, next, outbox, wasLeft } satisfies Stored);
  }

  private readonly onHide = (): void => this.store(true);

  private readonly onShow = (): void => this.store(false);

  private readonly onOnline = (): void => {
    if (this.state.phase === "down") this.open();
  };

  private readonly onOffline = (): void => {
    if (this.wire && this.isUp) this.onClosed(0);
  };
}

/** The stored state, checked; null if it cannot be used. */
function soundKept(stored: Partial<Stored> | null): Stored | null {
  if (!stored || typeof stored.resume !== "string" || !Number.isInteger(stored.next) || !Array.isArray(stored.outbox))
    return null;
  return {
    resume: stored.resume,
    next: stored.next as number,
    outbox: stored.outbox,
    wasLeft: stored.wasLeft === true,
  };
}

const connectInBrowser: Connect = (url, on) => {
  const socket = new WebSocket(url);
  socket.onopen = () => on.opened();
  socket.onmessage = (message) => on.message(message.data);
  socket.onclose = (event) => on.closed(event.code);
  return { send: (text) => socket.readyState === WebSocket.OPEN && socket.send(text), close: () => socket.close() };
};

/** The address of a session's socket, on the host of the page. */
export function socketUrl(assignment: string, page: Pick<Location, "protocol" | "host"> = location): string {
  return `${page.protocol === "https:" ? "wss" : "ws"}://${page.host}/ws/work/${encodeURIComponent(assignment)}/`;
}
