/** The picture of the marking at hand: what is drawn of it, and what mouse and fingers do to it. */

import type { Camera } from "../world/camera";
import { AIR, cellOf, type Cell } from "../world/frame";
import { openWorld } from "../world/open";
import type { Stage } from "../world/stage";
import type { Desk } from "./desk";
import { listenTo, type Gestures } from "./gestures";
import { centreOf } from "./groups";
import { cameraGestures } from "./looking";
import { heldAt, pointed, shownMarks, type Aim, type Marking } from "./marking";
import { Preview } from "./preview";
import { boxOf } from "./reach";
import { isDrawn } from "./tools";

export interface Places {
  /**
   * Says how things stand, for programs that drive the page (and for tests): `data-ready` is 1 once the scene is
   * painted, `data-marked` how many cells are shown as marked, `data-cursor` the cursor's `x,y,z`. A CustomEvent
   * `crosswalk:project` on it with detail `{cell: [x, y, z], pane: number}` sets `data-projected` to the `x,y` of that
   * cell's middle in client coordinates, "" where it is behind the eye.
   */
  root: HTMLElement;
  /** Takes the mouse and the fingers. */
  area: HTMLElement;
  canvas: HTMLCanvasElement;
  /** The working copy last. */
  panes: readonly HTMLElement[];
}

const FLASH_MS = 1200;
/** Between two places of a quick brush, in pixels. */
const BRUSH_STEP = 8;
const PREVIEW_LAYERS = ["preview", "flash"];

export class Picture {
  private readonly world: Stage;
  private readonly preview = new Preview();
  private readonly stops: (() => void)[];
  private shown: Marking | null = null;
  private painted: readonly number[] = [];
  private last: { x: number; y: number } | null = null;
  private flash: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly places: Places,
    private readonly desk: Desk,
    onBroken: () => void,
  ) {
    const { panes, root } = places;
    const working = panes.length - 1;
    this.world = openWorld(
      places.canvas,
      panes.map((element, index) => ({ element, layers: index === working ? "all" : PREVIEW_LAYERS })),
      onBroken,
    );
    const project = (event: Event): void => {
      const { cell, pane } = (event as CustomEvent<{ cell: Cell; pane: number }>).detail;
      const at = this.world.project(cell, pane);
      root.dataset.projected = at ? `${at.x},${at.y}` : "";
    };
    root.addEventListener("crosswalk:project", project);
    this.stops = [listenTo(places.area, this.gestures()), desk.subscribe((now) => this.follow(now)), () => root.removeEventListener("crosswalk:project", project)];
    this.follow(desk.get());
  }

  destroy(): void {
    clearTimeout(this.flash);
    for (const stop of this.stops) stop();
    delete this.places.root.dataset.ready;
    this.world.destroy();
  }

  /** Turn to these cells and light them for a moment. */
  lookAt(cells: readonly number[]): void {
    const marking = this.desk.get();
    if (!marking || cells.length === 0) return;
    this.desk.dispatch({ type: "camera", camera: { ...marking.camera, target: centreOf(marking.grid.size, cells) } });
    clearTimeout(this.flash);
    this.world.paint("flash", "flash", cells);
    this.flash = setTimeout(() => this.world.paint("flash", "flash", []), FLASH_MS);
  }

  // What is drawn ----------------------------------------------------------------------------------------------------

  private follow(now: Marking | null): void {
    const before = this.shown;
    this.shown = now;
    if (!now) return;
    const { world } = this;
    const { dataset } = this.places.root;
    const isNew = now.grid !== before?.grid;
    if (isNew) {
      delete dataset.ready;
      world.show(now.grid, { agent: now.scene.agent, player: now.scene.player });
    }
    if (isNew || now.camera !== before?.camera) world.camera = now.camera;
    if (isNew || now.cut !== before?.cut) world.cut(now.cut);
    if (isNew || now.isGroundHidden !== before?.isGroundHidden) world.hide(now.isGroundHidden ? now.ground : null);
    if (isNew || now.marks !== before?.marks || now.isAbsent !== before.isAbsent) this.paintMarks(now);
    this.paintPreview(now);
    const isByKeys = now.by === "keys";
    if (isNew || now.cursor !== before?.cursor || now.by !== before.by) {
      world.cursor(isByKeys ? now.cursor : null, now.grid.get(...now.cursor) === AIR);
      dataset.cursor = now.cursor.join(",");
      if (isByKeys && now.cursor !== before?.cursor) this.keepInView(now);
    }
    const at = pointed(now);
    world.outline(now.corner ? boxOf(now.corner, at ?? now.corner) : null);
    if (isNew) {
      void world.drawn.then(() => {
        if (this.shown?.grid === now.grid) dataset.ready = "1";
      });
    }
  }

  private paintMarks(now: Marking): void {
    const { grid } = now;
    const [blocks, air]: [number[], number[]] = [[], []];
    for (const index of shownMarks(now)) (grid.get(...cellOf(grid.size, index)) === AIR ? air : blocks).push(index);
    this.world.paint("marked", "marked", blocks);
    this.world.paint("marked-air", "marked-air", air);
    this.places.root.dataset.marked = String(blocks.length + air.length);
  }

  private paintPreview(now: Marking): void {
    const cells = this.preview.of(now);
    if (cells === this.painted) return;
    this.painted = cells;
    this.world.paint("preview", "preview", cells);
  }

  /** The cursor has walked: what lies outside of the picture is brought back into it. */
  private keepInView(now: Marking): void {
    const pane = this.places.panes.length - 1;
    const rect = this.places.panes[pane]?.getBoundingClientRect();
    const at = this.world.project(now.cursor, pane);
    if (!rect || (at && at.x > rect.left && at.x < rect.right && at.y > rect.top && at.y < rect.bottom)) return;
    const [x, y, z] = now.cursor;
    queueMicrotask(() => this.desk.dispatch({ type: "camera", camera: { ...now.camera, target: [x + 0.5, y + 0.5, z + 0.5] } }));
  }

  // What mouse and fingers do ----------------------------------------------------------------------------------------

  private gestures(): Gestures {
    const { dispatch } = this.desk;
    return {
      draws: () => {
        const marking = this.desk.get();
        return marking !== null && !marking.isLooking && isDrawn(marking.tool);
      },
      hover: (x, y) => this.aim(x, y),
      leave: () => this.desk.get()?.aim && dispatch({ type: "aim", aim: null }),
      press: (x, y, byTouch) => {
        const at = this.aim(x, y);
        if (at) dispatch({ type: "use", at });
        // Nothing hovers where there is no mouse; but to read what was touched it stays.
        if (byTouch && !this.desk.get()?.isLooking) dispatch({ type: "aim", aim: null });
      },
      drawFrom: (x, y) => {
        this.last = { x, y };
        const at = this.aim(x, y);
        if (this.desk.get()?.tool === "brush") dispatch({ type: "draw", over: at ? [at] : [], begins: true });
        else if (at) dispatch({ type: "corner", at });
      },
      drawTo: (x, y) => this.drawTo(x, y),
      drawn: (isDropped) => {
        const marking = this.desk.get();
        if (!marking?.corner) return;
        const at = pointed(marking);
        dispatch(isDropped || !at ? { type: "drop_corner" } : { type: "use", at });
      },
      ...cameraGestures((change) => this.see(change), this.places.panes),
    };
  }

  private see(change: (camera: Camera) => Camera): void {
    const marking = this.desk.get();
    if (marking) this.desk.dispatch({ type: "camera", camera: change(marking.camera) });
  }

  /** Points at what lies there, and answers with the cell that a tool would take hold of. */
  private aim(x: number, y: number): Cell | null {
    const marking = this.desk.get();
    if (!marking) return null;
    const aim: Aim | null = this.world.pick(x, y)?.hit ?? null;
    if (!isSameAim(aim, marking.aim) || marking.by === "keys") this.desk.dispatch({ type: "aim", aim });
    return aim && heldAt(marking, aim);
  }

  private drawTo(x: number, y: number): void {
    const from = this.last ?? { x, y };
    this.last = { x, y };
    if (this.desk.get()?.tool === "box") {
      // Beside the scene the box keeps its last corner.
      if (this.world.pick(x, y)) this.aim(x, y);
      return;
    }
    const steps = Math.max(1, Math.ceil(Math.hypot(x - from.x, y - from.y) / BRUSH_STEP));
    const over: Cell[] = [];
    for (let step = 1; step <= steps; step += 1) {
      const marking = this.desk.get();
      const found = this.world.pick(from.x + ((x - from.x) * step) / steps, from.y + ((y - from.y) * step) / steps);
      if (marking && found) over.push(heldAt(marking, found.hit));
    }
    this.desk.dispatch({ type: "draw", over, begins: false });
    this.aim(x, y);
  }
}

function isSameAim(a: Aim | null, b: Aim | null): boolean {
  if (!a || !b) return a === b;
  return a.cell.every((value, axis) => value === b.cell[axis]) && a.face.every((value, axis) => value === b.face[axis]);
}
