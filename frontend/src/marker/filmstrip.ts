/** Small pictures of the whole video: the row above the timeline, and the preview while an exact picture is on its way. */

import { frame, type Frame } from "../shared/units";
import type { FilmstripData } from "./payload";

export interface Thumb {
  /** The frame it really shows. */
  at: Frame;
  sheet: number;
  column: number;
  row: number;
}

/** The thumb nearest below a frame. */
export function thumbFor(data: FilmstripData, at: Frame, frames: number): Thumb {
  const perSheet = data.columns * data.rows;
  const count = Math.min(Math.ceil(frames / data.every), data.urls.length * perSheet);
  const index = Math.min(Math.floor(at / data.every), count - 1);
  const inSheet = index % perSheet;
  return {
    at: frame(index * data.every),
    sheet: Math.floor(index / perSheet),
    column: inSheet % data.columns,
    row: Math.floor(inSheet / data.columns),
  };
}

/** The frames that a row of `cells` pictures stands for: the middle of each cell's stretch. */
export function rowOfFrames(frames: number, cells: number): Frame[] {
  return Array.from({ length: cells }, (_, i) => frame(Math.min(frames - 1, Math.floor(((i + 0.5) * frames) / cells))));
}

export class Filmstrip {
  private readonly sheets: HTMLImageElement[];
  private readonly usable = new Set<number>();

  constructor(
    readonly data: FilmstripData,
    private readonly frames: number,
  ) {
    this.sheets = data.urls.map((url, i) => {
      const image = new Image();
      image.decoding = "async";
      image.src = url;
      // decode() now, or the first preview of a drag pays for it. A missing sheet only means no preview there.
      image.decode().then(
        () => this.usable.add(i),
        () => undefined,
      );
      return image;
    });
  }

  /** Draws the preview of a frame; answers the frame it really drew, or null if that sheet is not there yet. */
  draw(context: CanvasRenderingContext2D, at: Frame, width: number, height: number): Frame | null {
    const thumb = thumbFor(this.data, at, this.frames);
    const sheet = this.sheets[thumb.sheet];
    if (!sheet || !this.usable.has(thumb.sheet)) return null;
    const { width: w, height: h } = this.data;
    context.drawImage(sheet, thumb.column * w, thumb.row * h, w, h, 0, 0, width, height);
    return thumb.at;
  }
}
