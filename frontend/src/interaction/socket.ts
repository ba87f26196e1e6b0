/** The worker's socket: a WebSocket that speaks the protocol, comes back by itself, and keeps what is not sent yet. */

import type { Keep } from "../shared/storage";
import { backoff_ms, begin, fresh, step, type Course, type Effect, type Input, type Kept } from "./protocol";
import { readFrame, type Event, type FromServer, type Message, type Numbered, type Welcome } from "./wire";

export interface SocketEvents {
  welcome(welcome: Welcome): void;
  event(event: Event): void;
  refused(message: Numbered, detail: string): void;
  /** The line is up, or it is not and this is the attempt to have it. */
  line(isUp: boolean, attempt: number): void;
  /** Closed for good, until `again`: see CLOSE. */
  over(code: number): void;
}

/** The part of a WebSocket that is used. */
export interface Wire {
  send(text: string): void;
  close(code?: number): void;
}

export interface Listeners {
  opened(): void;
  message(data: unknown): void;
  closed(code: number): void;
}

export type Connect = (url: string, on: Listeners) => Wire;

export interface SocketParts {
  url: string;
  token: string;
  /** Of this tab: what is kept outlives a reload, not the tab. */
  keep: Keep;
  /** Names the session within it. */
  name: string;
  on: SocketEvents;
  connect?: Connect;
  newId?: () => string;
}

const PING_MS = 15_000;
/** Without any word for so long after a message or a ping, or before the welcome, the line is dead, whatever the browser believes. */
const SILENCE_MS = 8_000;

interface Stored extends Kept {
  /** The page was left; where this is missing, the tab may be a copy of one that is still there. */
  wasLeft: boolean;
}

export class Socket {
  private course: Course;
  private wire: Wire | null = null;
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
    // A copied tab must not send under the same name and numbers as its twin.
    this.course = begin(parts.token, stored && !stored.wasLeft ? { ...kept, resume: newId() } : kept);
    this.store(false);
    addEventListener("pagehide", this.onHide);
    addEventListener("pageshow", this.onShow);
    addEventListener("online", this.onOnline);
    addEventListener("offline", this.onOffline);
  }

  /** What was sent by this tab and is not known to have come. */
  get unsent(): readonly Numbered[] {
    return this.course.outbox;
  }

  get isUp(): boolean {
    return this.course.phase === "open" || this.course.phase === "waiting";
  }

  open(): void {
    if (this.isDone || this.wire) return;
    clearTimeout(this.timer);
    const connect = this.parts.connect ?? connectInBrowser;
    const wire: Wire = connect(this.parts.url, {
      opened: () => this.wire === wire && this.take({ is: "opened" }),
      message: (data) => this.wire === wire && this.heard(data),
      closed: (code) => this.wire === wire && this.gone(code),
    });
    this.wire = wire;
    this.expectWord();
  }

  send(message: Message): void {
    if (this.course.phase !== "over") this.take({ is: "send", message });
  }

  /** Have the session on this page again, after another one took it. */
  again(): void {
    if (this.isDone) return;
    this.course = { ...this.course, phase: "down" };
    this.attempt = 0;
    this.open();
  }

  /** The session is over, or another one is taken: nothing is kept. */
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

  /** One after the other: what a listener sends while the outbox is on its way comes behind it. */
  private take(input: Input): void {
    this.inputs.push(input);
    if (this.inputs.length > 1) return;
    for (let next = this.inputs[0]; next; next = this.inputs[0]) {
      const before = this.course;
      const [course, effects] = step(before, next);
      this.course = course;
      // Kept before it is sent: what a page did must not be lost between the two.
      if (course.outbox !== before.outbox || course.next !== before.next) this.store(false);
      for (const effect of effects) this.run(effect);
      this.inputs.shift();
    }
  }

  private run(effect: Effect): void {
    const { on } = this.parts;
    switch (effect.do) {
      case "send":
        this.wire?.send(JSON.stringify(effect.frame));
        // A message is answered. Another one sent meanwhile does not put the end of patience off.
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

  private heard(data: unknown): void {
    this.expectNothing();
    const frame: FromServer | null = readFrame(data);
    if (frame) this.take({ is: "frame", frame });
  }

  private gone(code: number): void {
    this.drop();
    this.take({ is: "closed", code });
  }

  /** Lets go of the socket; whatever it still says is not heard. */
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
    this.silence = setTimeout(() => this.gone(0), SILENCE_MS);
  }

  private expectNothing(): void {
    clearTimeout(this.silence);
    this.silence = undefined;
  }

  private store(wasLeft: boolean): void {
    const { resume, next, outbox } = this.course;
    this.parts.keep.write(this.parts.name, { resume, next, outbox, wasLeft } satisfies Stored);
  }

  private readonly onHide = (): void => this.store(true);

  private readonly onShow = (): void => this.store(false);

  private readonly onOnline = (): void => {
    if (this.course.phase === "down") this.open();
  };

  private readonly onOffline = (): void => {
    if (this.wire && this.isUp) this.gone(0);
  };
}

/** Whatever was stored, as what it should be. */
function soundKept(stored: Partial<Stored> | null): Stored | null {
  if (!stored || typeof stored.resume !== "string" || !Number.isInteger(stored.next) || !Array.isArray(stored.outbox)) return null;
  return { resume: stored.resume, next: stored.next as number, outbox: stored.outbox, wasLeft: stored.wasLeft === true };
}

const connectInBrowser: Connect = (url, on) => {
  const socket = new WebSocket(url);
  socket.onopen = () => on.opened();
  socket.onmessage = (message) => on.message(message.data);
  socket.onclose = (event) => on.closed(event.code);
  return { send: (text) => socket.readyState === WebSocket.OPEN && socket.send(text), close: () => socket.close() };
};

/** The address of a session's socket, beside the page's own. */
export function socketUrl(assignment: string, page: Pick<Location, "protocol" | "host"> = location): string {
  return `${page.protocol === "https:" ? "wss" : "ws"}://${page.host}/ws/work/${encodeURIComponent(assignment)}/`;
}
