/** The visible picture and its data attributes, which programs that drive the page also read (CONTRACT section 5). */

import type { Frame } from "./units";

export class Surface {
  private readonly context: CanvasRenderingContext2D;
  private blank = true;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly root: HTMLElement,
  ) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("no canvas");
    this.context = context;
  }

  /** Starts a new video. The old picture is removed, so paint right after this call. */
  begin(width: number, height: number, frames: number): void {
    // Setting the size clears the canvas even if the size stays the same. An old picture with a new question would
    // mislead.
    this.canvas.width = width;
    this.canvas.height = height;
    this.canvas.style.setProperty("--ratio", String(width / height));
    this.blank = true;
    const data = this.root.dataset;
    data.frameCount = String(frames);
    data.frameShown = "";
    data.scrubEngine = "video";
    delete data.frameApprox;
    delete data.ready;
    delete data.error;
  }

  /** Whether nothing is painted yet. */
  get isBlank(): boolean {
    return this.blank;
  }

  want(at: Frame): void {
    this.root.dataset.frameWanted = String(at);
  }

  /** Marks the exact picture as pending. */
  pend(): void {
    this.root.dataset.frameShown = "";
  }

  exact(source: CanvasImageSource, at: Frame): void {
    this.blank = false;
    this.context.drawImage(source, 0, 0, this.canvas.width, this.canvas.height);
    this.root.dataset.frameShown = String(at);
    delete this.root.dataset.frameApprox;
  }

  /** Paints an approximate picture. `paint` returns the frame it drew; null changes nothing. */
  near(paint: (context: CanvasRenderingContext2D, width: number, height: number) => Frame | null): void {
    const at = paint(this.context, this.canvas.width, this.canvas.height);
    if (at === null) return;
    this.blank = false;
    this.root.dataset.frameShown = "";
    this.root.dataset.frameApprox = String(at);
  }

  /** Paints a picture without a frame number: the poster. */
  cover(source: CanvasImageSource): void {
    this.blank = false;
    this.root.dataset.frameShown = "";
    this.context.drawImage(source, 0, 0, this.canvas.width, this.canvas.height);
  }

  ready(): void {
    this.root.dataset.ready = "1";
  }

  fail(message: string): void {
    this.root.dataset.ready = "error";
    this.root.dataset.error = message;
    this.root.dataset.frameShown = "";
  }
}
