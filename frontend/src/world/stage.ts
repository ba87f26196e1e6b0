/** What is to be seen, whatever draws it: kept here, with the picking, and with a frame asked for when something changed. */

import { framing, type Camera } from "./camera";
import { CHUNK, contains, indexOf, isWithin, wholeOf, type Box, type Cell, type Pose } from "./frame";
import { Grid, type Chunk } from "./grid";
import { placeOf, rayOf } from "./lens";
import { ORDER, type Look } from "./looks";
import type { Shown } from "./mesh";
import { boxOfChange } from "./patch";
import { pick, type Hit } from "./pick";
import { roomOf } from "./strokes";

/** One canvas lies over all panes; each pane's place in the page is one view of the scene, through one camera for all. */
export interface Pane {
  element: HTMLElement;
  /** Which painted layers are seen in it. */
  layers: readonly string[] | "all";
}

export interface Figures {
  agent: Pose | null;
  player: Pose | null;
}

export interface Layer {
  name: string;
  look: Look;
  cells: Uint32Array;
  /** Another one whenever the cells are. */
  version: number;
}

/** A pane in pixels of the canvas' page place (CSS pixels, from its top left). */
export interface View {
  pane: Pane;
  x: number;
  y: number;
  width: number;
  height: number;
  /** What of the scene is not as it was drawn; null: anything may be. */
  changed: readonly Box[] | null;
}

/** Something that is not in the picture yet: where, and of which layer; of none where every pane shows it. */
interface Change {
  box: Box;
  layer: string | null;
}

const MOST_RATIO = 2;
const GREY = "#808080";

/** Room for a figure and its gaze, in blocks; and how far away a figure may be to be drawn. */
const AROUND = 8;
const FARTHEST = 256;

function beyond(size: Cell, { x, y, z }: Pose): number {
  const past = [x, y, z].map((one, axis) => Math.max(-one, one - (size[axis] as number), 0));
  return Math.min(Math.hypot(...past), FARTHEST);
}

function peopleOf({ agent, player }: Figures): Pose[] {
  return [agent, player].filter((pose) => pose !== null);
}

function reachOf(size: Cell, figures: Figures): number {
  return AROUND + Math.max(0, ...peopleOf(figures).map((pose) => beyond(size, pose)));
}

export abstract class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly panes: readonly Pane[];
  /** Frames drawn so far, and what the last one cost this thread (milliseconds, meshing included). */
  readonly stats = { frames: 0, last_ms: 0 };

  protected grid = new Grid([1, 1, 1]);
  protected figures: Figures = { agent: null, player: null };
  /** How far outside of the scene anything is, in blocks: figures may stand beside it, and their gaze goes on. */
  protected reach = AROUND;
  protected shown: Shown = { box: wholeOf([1, 1, 1]), hidden: null };
  /** Another one whenever what is hidden is. */
  protected shownVersion = 0;
  protected cursorAt: { cell: Cell; isAir: boolean } | null = null;
  protected outlined: Box | null = null;

  private readonly painted = new Map<string, Layer>();
  private layerVersion = 0;
  private looking: Camera = framing([1, 1, 1]);
  private request = 0;
  /** What was changed since the last frame; null: all of it is drawn anew. */
  private changes: Change[] | null = null;
  /** The chunks of the grid as they were last asked for. */
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
    // Zooming the page changes how many pixels there are, not always the sizes.
    addEventListener("resize", this.onResize);
  }

  /** Another scene: the whole of it is shown, nothing is painted, the camera stays where it is. */
  show(grid: Grid, figures: Figures): void {
    this.grid = grid;
    this.figures = figures;
    this.reach = reachOf(grid.size, figures);
    this.shown = { box: wholeOf(grid.size), hidden: null };
    this.shownVersion++;
    this.painted.clear();
    this.cursorAt = null;
    this.outlined = null;
    this.know();
    this.ask();
  }

  /** The figures stand or look otherwise, come or go. */
  stand(figures: Figures): void {
    for (const pose of [...peopleOf(this.figures), ...peopleOf(figures)]) this.askFor(roomOf(pose));
    this.figures = figures;
    this.reach = reachOf(this.grid.size, figures);
  }

  /** Blocks of the grid were changed with set(): those in the boxes and no others, where boxes are given. */
  refresh(changed?: readonly Box[]): void {
    const before = this.known;
    const after = this.know();
    if (changed) {
      for (const box of changed) this.askFor(box);
      return;
    }
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      const chunk = after.get(key) ?? before.get(key);
      if (!chunk || before.get(key)?.version === after.get(key)?.version) continue;
      const low = chunk.at.map((one) => one * CHUNK) as unknown as Cell;
      this.askFor({ low, high: low.map((one) => one + CHUNK - 1) as unknown as Cell });
    }
  }

  get camera(): Camera {
    return this.looking;
  }

  set camera(camera: Camera) {
    this.looking = camera;
    this.ask();
  }

  /** Only what is within the box is drawn and picked. */
  cut(box: Box): void {
    this.shown = { ...this.shown, box };
    this.ask();
  }

  /** Flat indices that are neither drawn nor picked. The set must not change afterwards. */
  hide(cells: ReadonlySet<number> | null): void {
    this.shown = { ...this.shown, hidden: cells };
    this.shownVersion++;
    this.ask();
  }

  /** Replaces the layer; without cells it is gone. Cells may be air; cells outside of the cut and hidden ones are not drawn. */
  paint(layer: string, look: Look, cells: Iterable<number>): void {
    const list = Uint32Array.from(cells);
    const before = this.painted.get(layer);
    const changed = boxOfChange(this.grid.size, before?.cells ?? [], list);
    const isOtherLook = before !== undefined && before.look !== look;
    if (!changed && !isOtherLook) return;
    if (list.length === 0) this.painted.delete(layer);
    else this.painted.set(layer, { name: layer, look, cells: list, version: ++this.layerVersion });
    if (isOtherLook || !changed) this.ask();
    else this.askFor(changed, layer);
  }

  /** A thick frame around one cell, seen through blocks; dashed for air. */
  cursor(cell: Cell | null, isAir: boolean): void {
    for (const at of [this.cursorAt?.cell, cell]) if (at) this.askFor({ low: at, high: at });
    this.cursorAt = cell && { cell, isAir };
  }

  outline(box: Box | null): void {
    for (const one of [this.outlined, box]) if (one) this.askFor(one);
    this.outlined = box;
  }

  /** The block under a point of the page; null beside the panes and where nothing is met. */
  pick(clientX: number, clientY: number): { pane: number; hit: Hit } | null {
    for (const [index, pane] of this.panes.entries()) {
      const rect = pane.element.getBoundingClientRect();
      const x = (clientX - rect.left) / rect.width;
      const y = (clientY - rect.top) / rect.height;
      if (!(x >= 0 && x < 1 && y >= 0 && y < 1)) continue;
      const ray = rayOf(this.looking, rect.width / rect.height, x, y);
      const hit = pick((...cell) => this.isSolid(...cell), this.shown.box, ray.origin, ray.direction);
      return hit && { pane: index, hit };
    }
    return null;
  }

  /** Where the middle of a cell lies in the page; null behind the camera. It may be beside the pane, or covered. */
  project(cell: Cell, pane: number): { x: number; y: number } | null {
    const element = this.panes[pane]?.element;
    if (!element) return null;
    const rect = element.getBoundingClientRect();
    const place = placeOf(this.looking, rect.width / rect.height, [cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5]);
    return place && { x: rect.left + place.x * rect.width, y: rect.top + place.y * rect.height };
  }

  /** Panes or canvas have another size or place. Seen to by itself when a size changes. */
  resize(): void {
    this.ask();
  }

  /** When everything asked for so far is in the picture. */
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
   * Draws the views, or what changed of them; the canvas already has its size and, where not all is drawn anew, the last
   * picture. False where nothing can be drawn now.
   */
  protected abstract draw(views: readonly View[], ratio: number, isAnew: boolean): boolean;

  /** The colours of the page are others. */
  protected abstract recolour(): void;

  /** Have all of it drawn anew. */
  protected ask(): void {
    this.changes = null;
    this.wake();
  }

  /** Have it drawn anew where this box is seen. */
  private askFor(box: Box, layer: string | null = null): void {
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

  /** The layers of a pane in the order in which they are drawn. */
  protected layersOf(pane: Pane): Layer[] {
    const { layers } = pane;
    const seen = [...this.painted.values()].filter(({ name }) => layers === "all" || layers.includes(name));
    return seen.sort((a, b) => ORDER.indexOf(a.look) - ORDER.indexOf(b.look));
  }

  protected allLayers(): Iterable<Layer> {
    return this.painted.values();
  }

  protected contains(cell: Cell): boolean {
    return contains(this.grid.size, ...cell);
  }

  /** The colour of the page behind the scene, as #rrggbb. */
  protected groundColour(): string {
    const context = document.createElement("canvas").getContext("2d");
    if (!context) return GREY;
    // Whatever way the sheet writes a colour, a canvas gives it back in this one; of nothing it keeps what it had.
    context.fillStyle = GREY;
    context.fillStyle = getComputedStyle(this.canvas).getPropertyValue("--sunken").trim();
    return /^#[0-9a-f]{6}$/.test(context.fillStyle) ? context.fillStyle : GREY;
  }

  private readonly onFrame = (): void => {
    this.request = 0;
    const began = performance.now();
    const rect = this.canvas.getBoundingClientRect();
    if (rect.width === 0 || rect.height === 0) {
      // Not laid out yet, or put away: the observer asks again.
      this.settle();
      return;
    }
    const ratio = Math.min(window.devicePixelRatio || 1, MOST_RATIO);
    const width = Math.max(1, Math.round(rect.width * ratio));
    const height = Math.max(1, Math.round(rect.height * ratio));
    // Another size empties the canvas.
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.changes = null;
    }
    const views = this.panes
      .map((pane) => {
        const place = pane.element.getBoundingClientRect();
        return { pane, x: place.left - rect.left, y: place.top - rect.top, width: place.width, height: place.height, changed: this.changedIn(pane) };
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

  private know(): ReadonlyMap<number, Pick<Chunk, "at" | "version">> {
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
    this.ask();
  };
}
