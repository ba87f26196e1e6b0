/** The compare room in the page: its videos, its slider and its keys follow one clock. */

import { focusOf } from "../../work/focus";
import { commandOf, opened, reduce, timeOf, type Action, type Command, type Room as State, type Span } from "./state";

/** A playing video that is farther from the clock than this is put right. */
const FARTHEST_S = 0.08;
/** A tab that was asleep must not jump ahead by the whole pause. */
const LONGEST_TICK_MS = 250;

export class Room {
  private readonly videos: HTMLVideoElement[];
  private readonly play: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly clock: HTMLOutputElement;
  private spans: Span[] = [];
  private state: State = { at: 0, isPlaying: false, start: 0, end: 0 };
  private before = 0;

  constructor(private readonly place: HTMLElement) {
    this.videos = [...place.querySelectorAll("video")];
    this.play = found(place, "[data-play]");
    this.slider = found(place, "[data-slider]");
    this.clock = found(place, "[data-clock]");
  }

  start(): void {
    document.addEventListener("keydown", (event) => {
      const command = commandOf(event, focusOf(event.target));
      if (!command) return;
      event.preventDefault();
      this.run(command);
    });
    void Promise.all(this.videos.map(known)).then(() => this.open());
  }

  private open(): void {
    this.spans = this.videos.map((video) => ({
      takeover: Number(video.dataset.takeover),
      duration: video.duration,
    }));
    this.state = opened(this.spans);
    this.slider.min = String(this.state.start);
    this.slider.max = String(this.state.end);
    for (const video of this.videos) video.controls = false;
    for (const part of this.place.querySelectorAll<HTMLElement>("[data-controls], [data-keys]")) part.hidden = false;
    this.play.addEventListener("click", () => this.dispatch({ type: "toggle" }));
    this.slider.addEventListener("input", () => this.dispatch({ type: "seek", at: this.slider.valueAsNumber }));
    this.show();
  }

  private run(command: Command): void {
    if (command.type === "next" || command.type === "previous") {
      const rel = command.type === "next" ? "next" : "prev";
      this.place.querySelector<HTMLAnchorElement>(`a[rel="${rel}"]`)?.click();
    } else if (this.spans.length > 0) {
      this.dispatch(command);
    }
  }

  private dispatch(action: Action): void {
    const wasPlaying = this.state.isPlaying;
    this.state = reduce(this.state, action);
    if (this.state.isPlaying && !wasPlaying) {
      this.before = performance.now();
      requestAnimationFrame((now) => this.tick(now));
    }
    this.show();
  }

  private tick(now: number): void {
    const ms = Math.min(Math.max(now - this.before, 0), LONGEST_TICK_MS);
    this.before = now;
    if (!this.state.isPlaying) return;
    this.state = reduce(this.state, { type: "tick", seconds: ms / 1000 });
    this.show();
    if (this.state.isPlaying) requestAnimationFrame((next) => this.tick(next));
  }

  private show(): void {
    const { at, isPlaying } = this.state;
    for (const [number, video] of this.videos.entries()) {
      const span = this.spans[number];
      if (!span) continue;
      const time = timeOf(span, at);
      const isInside = isPlaying && time < span.duration && time > 0;
      if (!isInside && !video.paused) video.pause();
      if (!isInside || Math.abs(video.currentTime - time) > FARTHEST_S) video.currentTime = time;
      if (isInside && video.paused) void video.play().catch(() => undefined);
    }
    this.play.textContent = isPlaying ? "Stop" : "Play both";
    this.slider.value = String(at);
    this.clock.textContent = `${at < 0 ? "−" : "+"}${Math.abs(at).toFixed(2)} s`;
  }
}

function found<T extends Element>(place: HTMLElement, selector: string): T {
  const element = place.querySelector<T>(selector);
  if (!element) throw new Error(`the compare room has no ${selector}`);
  return element;
}

/** Resolves when the length of the video is known. */
function known(video: HTMLVideoElement): Promise<void> {
  if (video.readyState >= HTMLMediaElement.HAVE_METADATA) return Promise.resolve();
  return new Promise((done) => video.addEventListener("loadedmetadata", () => done(), { once: true }));
}
