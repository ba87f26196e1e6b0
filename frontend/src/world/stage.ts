/** The scene independent of its renderer: state, picking, and the request for a new frame after a change. */

import { framing, type Camera } from "./camera";
import { CHUNK, contains, indexOf, isWithin, wholeOf, type Box, type Cell, type Pose } from "./frame";
import { Grid, type Chunk } from "./grid";
import { placeOf, rayOf } from "./projection";
import { ORDER, type PaintStyle } from "./patterns";
import type { Shown } from "./mesh";
import { boxOfChange } from "./damage";
import { pick, type Hit } from "./pick";
import { extentOf } from "./strokes";

/** One canvas lies over all panes. Each pane is one view of the scene; all share the camera. */
export interface Pane {
  element: HTMLElement;
  /** The painted layers that are visible in it. */
  layers: readonly string[] | "all";
}

export interface Figures {
  agent: Pose | null;
  player: Pose | null;
}

export interface Layer {
  name: string;
  style: PaintStyle;
  cells: Uint32Array;
  /** Changes whenever the cells change. */
  version: number;
}

/** A pane in CSS pixels, from the top left of the canvas. */
export interface View {
  pane: Pane;
  x: number;
  y: number;
  width: number;
  height: number;
  /** The changed boxes of the scene; null if everything may have changed. */
  changed: readonly Box[] | null;
}

/** A change that is not drawn yet: its box, and its layer; null if every pane shows it. */
interface Change {
  box: Box;
  layer: string | null;
}

const MOST_RATIO = 2;
const GREY = "#808080";

/** The room for a figure and its gaze, in blocks, and the largest distance at which a figure is drawn. */
const AROUND = 8;
const FARTHEST = 256;

function distanceOutside(size: Cell, { x, y, z }: Pose): number {
  const past = [x, y, z].map((one, axis) => Math.max(-one, one - (size[axis] as number), 0));
  return Math.min(Math.hypot(...past), FARTHEST);
}

function posesOf({ agent, player }: Figures): Pose[] {
  return [agent, player].filter((pose) => pose !== null);
}

function reachOf(size: Cell, figures: Figures): number {
  return AROUND + Math.max(0, ...posesOf(figures).map((pose) => distanceOutside(size, pose)));
}

export abstract class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly panes: readonly Pane[];
  /** Frames drawn so far, and the time of the last one in this thread (milliseconds, with meshing). */
  readonly stats = { frames: 0, last_ms: 0 };

  protected grid = new Grid([1, 1, 1]);
  protected figures: Figures = { agent: null, player: null };
  /** How far objects are outside of the scene, in blocks: figures may be beside it, and their gaze goes on. */
  protected reach = AROUND;
  protected shown: Shown = { box: wholeOf([1, 1, 1]), hidden: null };
  /** Changes whenever the hidden cells change. */
  protected shownVersion = 0;
  protected cursorAt: { cell: Cell; isAir: boolean } | null = null;
  protected outlined: Box | null = null;

  private readonly painted = new Map<string, Layer>();
  private layerVersion = 0;
  private currentCamera: Camera = framing([1, 1, 1]);
  private request = 0;
  /** The changes since the last frame; null if everything must be drawn. */
  private changes: Change[] | null = null;
  /** The chunks of the grid at the last refresh. */
  private known = new Map<number, Pick<Chunk, "at" | "version">>();
  private waiting: (() => void)[] = [];
  private readonly observer: ResizeObserver;
  private readonly scheme = matchMedia("(prefers-color-scheme: dark)");

  constructor(canvas: HTMLCanvasElement, panes: readonly Pane[]) {
    this.canvas = canvas;
    this.panes = panes;
    this.observer = new ResizeObserver(this.onResize);
    for (const element of [canvas, ...panes.map((pane) => pane.element)]) this.observer.observe(element);
    this.scheme.addEventListener("change", this.onScheme);
    // Zooming the page changes the number of pixels, but not always the sizes.
    addEventListener("resize", this.onResize);
  }

  /** Shows another scene: all of it is visible, nothing is painted, the camera stays. */
  show(grid: Grid, figures: Figures): void {
    this.grid = grid;
    this.figures = figures;
    this.reach = reachOf(grid.size, figures);
    this.shown = { box: wholeOf(grid.size), hidden: null };
    this.shownVersion++;
    this.painted.clear();
    this.cursorAt = null;
    this.outlined = null;
    this.rememberChunks();
    this.redraw();
  }

  /** Sets the poses of the figures; null removes a figure. */
  setFigures(figures: Figures): void {
    for (const pose of [...posesOf(this.figures), ...posesOf(figures)]) this.redrawBox(extentOf(pose));
    this.figures = figures;
    this.reach = reachOf(this.grid.size, figures);
  }

  /** Call after changing blocks with set(). With boxes, only blocks inside them may have changed. */
  refresh(changed?: readonly Box[]): void {
    const before = this.known;
    const after = this.rememberChunks();
    if (changed) {
      for (const box of changed) this.redrawBox(box);
      return;
    }
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      const chunk = after.get(key) ?? before.get(key);
      if (!chunk || before.get(key)?.version === after.get(key)?.version) continue;
      const low = chunk.at.map((one) => one * CHUNK) as unknown as Cell;
      this.redrawBox({ low, high: low.map((one) => one + CHUNK - 1) as unknown as Cell });
    }
  }

  get camera(): Camera {
    return this.currentCamera;
  }

  set camera(camera: Camera) {
    this.currentCamera = camera;
    this.redraw();
  }

  /** Draws and picks only inside the box. */
  cut(box: Box): void {
    this.shown = { ...this.shown, box };
    this.redraw();
  }

  /** Flat indices that are not drawn and not picked. The set must not change afterwards. */
  hide(cells: ReadonlySet<number> | null): void {
    this.shown = { ...this.shown, hidden: cells };
    this.shownVersion++;
    this.redraw();
  }

  /** Replaces a layer; without cells it is removed. Cells may be air; cut or hidden cells are not drawn. */
  paint(layer: string, style: PaintStyle, cells: Iterable<number>): void {
    const list = Uint32Array.from(cells);
    const before = this.painted.get(layer);
    const changed = boxOfChange(this.grid.size, before?.cells ?? [], list);
    const isOtherLook = before !== undefined && before.style !== style;
    if (!changed && !isOtherLook) return;
    if (list.length === 0) this.painted.delete(layer);
    else this.painted.set(layer, { name: layer, style, cells: list, version: ++this.layerVersion });
    if (isOtherLook || !changed) this.redraw();
    else this.redrawBox(changed, layer);
  }

  /** A thick frame around a cell, visible through blocks; dashed for air. */
  cursor(cell: Cell | null, isAir: boolean): void {
    for (const at of [this.cursorAt?.cell, cell]) if (at) this.redrawBox({ low: at, high: at });
    this.cursorAt = cell && { cell, isAir };
  }

  outline(box: Box | null): void {
    for (const one of [this.outlined, box]) if (one) this.redrawBox(one);
    this.outlined = box;
  }

  /** The block at a point of the page; null beside the panes or if nothing is hit. */
  pick(clientX: number, clientY: number): { pane: number; hit: Hit } | null {
    for (const [index, pane] of this.panes.entries()) {
      const rect = pane.element.getBoundingClientRect();
      const x = (clientX - rect.left) / rect.width;
      const y = (clientY - rect.top) / rect.height;
      if (!(x >= 0 && x < 1 && y >= 0 && y < 1)) continue;
      const ray = rayOf(this.currentCamera, rect.width / rect.height, x, y);
      const hit = pick((...cell) => this.isSolid(...cell), this.shown.box, ray.origin, ray.direction);
      return hit && { pane: index, hit };
    }
    return null;
  }

  /** The position of a cell's middle in the page; null behind the camera. It may be beside the pane, or covered. */
  project(cell: Cell, pane: number): { x: number; y: number } | null {
    const element = this.panes[pane]?.element;
    if (!element) return null;
    const rect = element.getBoundingClientRect();
    const place = placeOf(this.currentCamera, rect.width / rect.height, [cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5]);
    return place && { x: rect.left + place.x * rect.width, y: rect.top + place.y * rect.height };
  }

  /** Call when panes or canvas have another place. A change of size is noticed automatically. */
  resize(): void {
    this.redraw();
  }

  /** Resolves when everything requested so far is drawn. */
  get drawn(): Promise<void> {
    return this.request === 0 ? Promise.resolve() : new Promise((done) => this.waiting.push(done));
  }

  destroy(): void {
    cancelAnimationFrame(this.request);
    this.request = 0;
    this.observer.disconnect();
    this.scheme.removeEventListener("change", this.onScheme);
    removeEventListener("resize", this.onResize);
    this.settle();
  }

  /**
   * Draws the views or their changed parts. The canvas has its size and, unless `isAnew`, the last picture. Returns
   * false if drawing is impossible now.
   */
  protected abstract draw(views: readonly View[], ratio: number, isAnew: boolean): boolean;

  /** Called when the colours of the page change. */
  protected abstract recolour(): void;

  /** Requests a complete redraw. */
  protected redraw(): void {
    this.changes = null;
    this.wake();
  }

  /** Requests a redraw wherever this box is visible. */
  private redrawBox(box: Box, layer: string | null = null): void {
    this.changes?.push({ box, layer });
    this.wake();
  }

  private wake(): void {
    if (this.request === 0) this.request = requestAnimationFrame(this.onFrame);
  }

  protected isSolid(x: number, y: number, z: number): boolean {
    if (this.grid.get(x, y, z) === 0) return false;
    const { box, hidden } = this.shown;
    return isWithin(box, x, y, z) && !hidden?.has(indexOf(this.grid.size, x, y, z));
  }

  /** The layers of a pane in drawing order. */
  protected layersOf(pane: Pane): Layer[] {
    const { layers } = pane;
    const seen = [...this.painted.values()].filter(({ name }) => layers === "all" || layers.includes(name));
    return seen.sort((a, b) => ORDER.indexOf(a.style) - ORDER.indexOf(b.style));
  }

  protected allLayers(): Iterable<Layer> {
    return this.painted.values();
  }

  protected contains(cell: Cell): boolean {
    return contains(this.grid.size, ...cell);
  }

  /** The background colour of the page behind the scene, as #rrggbb. */
  protected groundColour(): string {
    const context = document.createElement("canvas").getContext("2d");
    if (!context) return GREY;
    // A canvas converts any CSS colour to this format, and keeps its old value for an invalid one.
    context.fillStyle = GREY;
    context.fillStyle = getComputedStyle(this.canvas).getPropertyValue("--sunken").trim();
    return /^#[0-9a-f]{6}$/.test(context.fillStyle) ? context.fillStyle : GREY;
  }

  private readonly onFrame = (): void => {
    this.request = 0;
    const began = performance.now();
    const rect = this.canvas.getBoundingClientRect();
    if (rect.width === 0 || rect.height === 0) {
      // Not laid out yet, or hidden: the observer requests a frame later.
      this.settle();
      return;
    }
    const ratio = Math.min(window.devicePixelRatio || 1, MOST_RATIO);
    const width = Math.max(1, Math.round(rect.width * ratio));
    const height = Math.max(1, Math.round(rect.height * ratio));
    // A change of size clears the canvas.
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.changes = null;
    }
    const views = this.panes
      .map((pane) => {
        const place = pane.element.getBoundingClientRect();
        return {
          pane,
          x: place.left - rect.left,
          y: place.top - rect.top,
          width: place.width,
          height: place.height,
          changed: this.changedIn(pane),
        };
      })
      .filter((view) => view.width > 0 && view.height > 0 && view.changed?.length !== 0);
    if (this.draw(views, ratio, this.changes === null)) {
      this.changes = [];
      this.stats.frames++;
      this.stats.last_ms = performance.now() - began;
    }
    this.settle();
  };

  private changedIn({ layers }: Pane): readonly Box[] | null {
    const seen = this.changes?.filter(({ layer }) => layer === null || layers === "all" || layers.includes(layer));
    return seen ? seen.map(({ box }) => box) : null;
  }

  private rememberChunks(): ReadonlyMap<number, Pick<Chunk, "at" | "version">> {
    this.known = new Map([...this.grid.kept()].map(([key, { at, version }]) => [key, { at, version }]));
    return this.known;
  }

  private settle(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const done of waiting) done();
  }

  private readonly onResize = (): void => this.resize();

  private readonly onScheme = (): void => {
    this.recolour();
    this.redraw();
  };
}
