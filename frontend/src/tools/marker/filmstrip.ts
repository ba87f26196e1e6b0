/**
 * Small pictures of the whole video, for the row above the timeline and for the preview while an exact picture loads.
 */

import { frame, type Frame } from "./units";
import type { FilmstripData } from "./payload";

export interface Thumb {
  /** The frame that it really shows. */
  at: Frame;
  sheet: number;
  column: number;
  row: number;
  /** The rows of its sheet: the last one has only those that it needs. */
  rows: number;
}

/** The thumbnail at or before a frame. */
export function thumbFor(data: FilmstripData, at: Frame, frames: number): Thumb {
  const perSheet = data.columns * data.rows;
  const count = Math.min(Math.ceil(frames / data.every), data.urls.length * perSheet);
  const index = Math.min(Math.floor(at / data.every), count - 1);
  const inSheet = index % perSheet;
  const onSheet = Math.min(perSheet, count - (index - inSheet));
  return {
    rows: Math.ceil(onSheet / data.columns),
    at: frame(index * data.every),
    sheet: Math.floor(index / perSheet),
    column: inSheet % data.columns,
    row: Math.floor(inSheet / data.columns),
  };
}

/** The frames for a row of `cells` pictures: the middle of each cell's part of the video. */
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
      // Decoding now keeps the first preview of a drag fast. Without a sheet there is only no preview.
      image.decode().then(
        () => this.usable.add(i),
        () => undefined,
      );
      return image;
    });
  }

  /** Draws the preview of a frame; returns the frame that it really drew, or null if that sheet is not loaded. */
  draw(context: CanvasRenderingContext2D, at: Frame, width: number, height: number): Frame | null {
    const thumb = thumbFor(this.data, at, this.frames);
    const sheet = this.sheets[thumb.sheet];
    if (!sheet || !this.usable.has(thumb.sheet)) return null;
    const { width: w, height: h } = this.data;
    context.drawImage(sheet, thumb.column * w, thumb.row * h, w, h, 0, 0, width, height);
    return thumb.at;
  }
}
