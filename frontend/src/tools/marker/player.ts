/**
 * Shows single frames of one video. The <video> element only decodes; people see the surface, which is painted here.
 *
 * Each of these rules fixed a wrong frame: seek to the middle of a frame's interval; have one seek in flight, and let
 * the latest request win; paint and name a frame only when the decoder reports exactly the wanted frame; after a pause,
 * name the painted frame and bring the decoder to it, and never trust currentTime.
 */

import { clampFrame, seconds, type Frame } from "./units";
import { Filmstrip } from "./filmstrip";
import { FrameTable } from "./frames";
import { captureFrame, namesPictures } from "./capture_frame";
import type { VideoData } from "./payload";
import { checkDecoder, loadMetadata, VideoTrouble } from "./decoder_check";
import type { Surface } from "./surface";

/** The preview is shown when the exact picture takes longer than this … */
const LATE_MS = 40;
/** … or at once when recent seeks took longer than this. */
const SLOW_MS = 60;
/** How often a picture with a wrong frame number is requested again, once in each animation frame. */
const TRIES = 12;
/** After `seeked` the decoder should report its frame; some browsers sometimes do not. */
const SILENT_MS = 400;

export interface Listener {
  moved(to: Frame): void;
  shown(at: Frame): void;
  pending(): void;
  rate(rate: number): void;
  ready(): void;
  broken(message: string): void;
}

export class Player {
  readonly table: FrameTable;
  readonly video: HTMLVideoElement;
  readonly strip: Filmstrip | null;
  private surface: Surface | null = null;
  private listener: Listener | null = null;
  private wanted: Frame;
  /** The frame that is painted exactly; null if none is. */
  private painted: Frame | null = null;
  /** The frame that the decoder reports. */
  private presented: Frame | null = null;
  private flight: { target: Frame; at: number } | null = null;
  private silence = 0;
  private pendingSince: number | null = null;
  private lateTimer = 0;
  private readonly recent: number[] = [];
  private rate = 0;
  private motion = 0;
  private usable = false;
  private trouble: string | null = null;
  private gone = false;
  private announced = false;
  /** The browser gives correct frame numbers for captured pictures. */
  private isNamed = false;
  private retry = 0;
  private reloadedAt = -Infinity;
  /** The frames at which something begins to change; none if that was not measured. */
  readonly moments: readonly number[];

  constructor(
    private readonly data: VideoData,
    start: number,
  ) {
    this.table = new FrameTable(data.table, data.frames);
    this.moments = data.activity?.moments ?? [];
    this.wanted = clampFrame(start, 0, this.table.last);
    this.strip = data.filmstrip && data.filmstrip.urls.length > 0 ? new Filmstrip(data.filmstrip, data.frames) : null;
    const video = document.createElement("video");
    video.crossOrigin = "anonymous"; // a bucket's frames can be captured only with CORS
    video.muted = true;
    video.playsInline = true;
    video.preload = "auto";
    video.disableRemotePlayback = true;
    video.tabIndex = -1;
    video.setAttribute("aria-hidden", "true");
    video.addEventListener("seeked", this.onSeeked);
    video.addEventListener("ended", () => this.stop());
    video.addEventListener("error", () => this.usable && this.reload());
    this.video = video;
  }

  /**
   * Loads and checks the video, and goes to the start. The element must be in the page. Faults go to the listener, at
   * once or when one is attached.
   */
  async load(): Promise<void> {
    try {
      await loadMetadata(this.video, this.data.url);
      const known = await checkDecoder(this.video, this.table);
      if (this.gone) return;
      this.isNamed = namesPictures(this.video, this.table, known);
      this.usable = true;
      this.video.requestVideoFrameCallback(this.onFrame);
      this.pump();
    } catch (error) {
      if (!this.gone) this.fail(error);
    }
  }

  /** Asks for the video anew: its address in a bucket may have expired. Fails if that has been done a moment ago. */
  private reload(): void {
    const before = this.reloadedAt;
    this.reloadedAt = performance.now();
    if (this.reloadedAt - before < 10_000) return this.fail(new VideoTrouble("The connection to this video broke."));
    this.stopMotion();
    this.usable = false;
    this.presented = this.flight = null;
    void this.load();
  }

  /** From now on this player paints, starting with the picture that the decoder has. */
  attach(surface: Surface, listener: Listener): void {
    this.surface = surface;
    this.listener = listener;
    surface.begin(this.data.width, this.data.height, this.data.frames);
    surface.want(this.wanted);
    listener.moved(this.wanted);
    if (this.trouble !== null) return this.tellTrouble(this.trouble);
    this.painted = null;
    this.cover();
    this.pump();
  }

  dispose(): void {
    this.gone = true;
    this.stopMotion();
    clearTimeout(this.silence);
    clearTimeout(this.lateTimer);
    cancelAnimationFrame(this.retry);
    this.surface = null;
    this.listener = null;
    this.video.removeAttribute("src");
    this.video.load();
    this.video.remove();
  }

  get at(): Frame {
    return this.wanted;
  }

  get running(): number {
    return this.rate;
  }

  /** Stops at a frame. All data attributes change during this call; the picture may follow later. */
  seek(to: number): void {
    this.halt({ snap: false });
    this.want(clampFrame(to, 0, this.table.last));
    this.pump();
  }

  play(rate: number): void {
    if (!this.usable || rate === this.rate) return;
    if (rate < 0) {
      this.halt({ snap: false });
      this.runBack(-rate);
      return;
    }
    if (this.wanted >= this.table.last) return;
    const wasBack = this.rate < 0;
    if (wasBack) this.stopMotion();
    this.setRate(rate);
    this.video.playbackRate = rate;
    if (!this.video.paused) return;
    // Starts from the visible picture, not from the target of a seek in flight.
    if (this.flight?.target !== this.wanted && this.presented !== this.wanted) this.fly(this.wanted);
    this.video.play().catch(() => this.stop());
  }

  /** Stops at the painted picture and brings the decoder to it. */
  stop(): void {
    if (this.rate === 0) return;
    this.halt({ snap: true });
    this.pump();
  }

  private halt({ snap }: { snap: boolean }): void {
    if (this.rate === 0) return;
    const ran = this.rate > 0;
    this.stopMotion();
    if (!ran) return;
    this.video.pause();
    // The decoder may present one more frame after a pause, so seek to the middle of the frame that the worker saw.
    this.presented = null;
    this.flight = null;
    if (snap && this.painted === this.wanted) this.fly(this.wanted);
  }

  private stopMotion(): void {
    cancelAnimationFrame(this.motion);
    this.setRate(0);
  }

  private setRate(rate: number): void {
    if (rate === this.rate) return;
    this.rate = rate;
    this.listener?.rate(rate);
  }

  private runBack(speed: number): void {
    this.setRate(-speed);
    const from = this.table.start(this.wanted);
    const began = performance.now();
    const step = (now: number): void => {
      const goal = from - ((now - began) / 1000) * speed;
      this.want(this.table.at(seconds(Math.max(0, goal))));
      this.pump();
      if (this.wanted === 0) this.stopMotion();
      else this.motion = requestAnimationFrame(step);
    };
    this.motion = requestAnimationFrame(step);
  }

  private want(to: Frame): void {
    if (to === this.wanted) return;
    this.wanted = to;
    this.surface?.want(to);
    this.painted = null;
    this.surface?.pend();
    this.listener?.moved(to);
    this.pendingSince ??= performance.now();
    this.preview();
  }

  /** Gets the wanted frame, unless it is painted or another seek is in flight. */
  private pump(): void {
    if (!this.usable || this.flight || this.rate > 0 || this.painted === this.wanted) return;
    if (this.presented === this.wanted && !this.video.seeking) this.paintStill();
    else this.fly(this.wanted);
  }

  private fly(target: Frame): void {
    clearTimeout(this.silence);
    this.flight = { target, at: performance.now() };
    // onFrame is already registered: registered after the seek, it might never be called.
    this.video.currentTime = this.table.middle(target);
  }

  private readonly onFrame = (_now: number, meta: VideoFrameCallbackMetadata): void => {
    if (this.gone) return;
    this.video.requestVideoFrameCallback(this.onFrame);
    const here = this.table.nearest(seconds(meta.mediaTime));
    this.presented = here;
    if (this.rate > 0) return this.advance(here);
    if (this.flight && this.flight.target !== here) return; // a late report from before the seek
    this.land();
  };

  private readonly onSeeked = (): void => {
    if (!this.flight || !this.usable) return;
    const { target } = this.flight;
    if (this.presented === target) return this.land();
    clearTimeout(this.silence);
    // A target that is no longer wanted needs no picture; the wanted one gets time to be reported.
    const patience = target === this.wanted ? SILENT_MS : LATE_MS;
    this.silence = window.setTimeout(() => {
      if (this.flight?.target !== target || this.video.seeking) return;
      this.presented = this.table.at(seconds(this.video.currentTime));
      this.land();
    }, patience);
  };

  /** The decoder has stopped and reported its frame. */
  private land(): void {
    clearTimeout(this.silence);
    if (this.flight) {
      if (this.flight.target === this.presented) this.remember(performance.now() - this.flight.at);
      this.flight = null;
    }
    if (this.presented === this.wanted && this.painted !== this.wanted) return this.paintStill();
    this.paintLate();
    this.pump();
  }

  /** Without a filmstrip, a late picture is the best preview. */
  private paintLate(): void {
    const at = this.presented;
    if (this.strip || at === null || this.painted === this.wanted) return;
    this.surface?.near((context, width, height) => {
      context.drawImage(this.video, 0, 0, width, height);
      return at;
    });
  }

  /** Paints a picture of the playing video. It is exact only if the captured frame and the decoder's report agree. */
  private advance(here: Frame): void {
    this.flight = null;
    const picture = captureFrame(this.video, this.table, this.isNamed);
    const at = picture.at ?? here;
    if (at !== this.wanted) {
      this.wanted = at;
      this.surface?.want(at);
      this.listener?.moved(at);
    }
    if (picture.at === here) {
      this.paint(picture.source);
    } else {
      this.painted = null;
      this.surface?.near((context, width, height) => {
        context.drawImage(picture.source, 0, 0, width, height);
        return at;
      });
      this.listener?.pending();
    }
    picture.close();
  }

  /**
   * Paints the decoder's picture as the wanted frame; if its frame number differs, tries again in the next animation
   * frame.
   */
  private paintStill(tries = TRIES): void {
    cancelAnimationFrame(this.retry);
    const picture = captureFrame(this.video, this.table, this.isNamed);
    const fits = picture.at === null || picture.at === this.wanted;
    if (fits) this.paint(picture.source);
    picture.close();
    if (fits) return;
    this.retry = requestAnimationFrame(() => {
      if (this.flight || this.rate > 0 || this.presented !== this.wanted || this.painted === this.wanted) return;
      if (tries > 0) this.paintStill(tries - 1);
      else this.fly(this.wanted);
    });
  }

  private paint(source: CanvasImageSource): void {
    if (!this.surface || !this.usable) return;
    this.pendingSince = null;
    clearTimeout(this.lateTimer);
    this.lateTimer = 0;
    this.painted = this.wanted;
    this.surface.exact(source, this.wanted);
    if (!this.announced) {
      this.announced = true;
      this.surface.ready();
      this.listener?.ready();
    }
    this.listener?.shown(this.wanted);
  }

  private remember(took_ms: number): void {
    this.recent.push(took_ms);
    if (this.recent.length > 5) this.recent.shift();
  }

  private get isSlow(): boolean {
    const sorted = [...this.recent].sort((a, b) => a - b);
    return (sorted[Math.floor(sorted.length / 2)] ?? 0) > SLOW_MS;
  }

  /** Shows a thumbnail while the exact picture loads. */
  private preview(): void {
    if (!this.surface || !this.strip || this.pendingSince === null) return;
    const waited = performance.now() - this.pendingSince;
    if (this.isSlow || waited >= LATE_MS) return this.paintPreview();
    if (this.lateTimer) return;
    this.lateTimer = window.setTimeout(() => {
      this.lateTimer = 0;
      if (this.pendingSince !== null) this.paintPreview();
    }, LATE_MS - waited);
  }

  private paintPreview(): void {
    const { surface, strip } = this;
    if (!surface || !strip || this.painted === this.wanted) return;
    surface.near((context, width, height) => strip.draw(context, this.wanted, width, height));
  }

  /** Shows a thumbnail or the poster until the first exact picture. */
  private cover(): void {
    this.listener?.pending();
    if (this.usable && this.presented === this.wanted) return;
    if (this.strip && this.surface) this.paintPreview();
    if (!this.data.poster_url || this.surface === null) return;
    const poster = new Image();
    poster.src = this.data.poster_url;
    poster.decode().then(
      () => {
        if (!this.gone && this.surface?.isBlank) this.surface.cover(poster);
      },
      () => undefined,
    );
  }

  private fail(error: unknown): void {
    this.usable = false;
    this.stopMotion();
    this.trouble = error instanceof VideoTrouble ? error.message : "This video could not be prepared for your browser.";
    this.tellTrouble(this.trouble);
  }

  private tellTrouble(message: string): void {
    this.surface?.fail(message);
    this.listener?.broken(message);
  }
}
