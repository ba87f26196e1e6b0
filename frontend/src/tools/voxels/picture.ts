/** The picture of the current marking: what is drawn, and what mouse and fingers do. */

import type { Camera } from "../../world/camera";
import { AIR, cellOf, type Cell } from "../../world/frame";
import { createWorld } from "../../world/create";
import type { Stage } from "../../world/stage";
import type { MarkingSlice } from "./marking/store_slice";
import { listenTo, type Gestures } from "./camera/gestures";
import { centreOf } from "./marking/groups";
import { cameraGestures } from "./camera/camera_input";
import { heldAt, pointed, shownMarks, type Aim, type Marking } from "./marking/marking";
import { Preview } from "./marking/preview";
import { boxOf } from "./marking/selection";
import { isDrawn } from "./marking/tools";

export interface Places {
  /**
   * Holds the state for programs that drive the page, and for tests: `data-ready` is 1 once the scene is painted,
   * `data-marked` is the number of cells shown as marked, `data-cursor` is the cursor's `x,y,z`. A CustomEvent
   * `crosswalk:project` with detail `{cell: [x, y, z], pane: number}` sets `data-projected` to the `x,y` of that cell's
   * middle in client coordinates, or to "" if it is behind the camera.
   */
  root: HTMLElement;
  /** Takes the mouse and the fingers. */
  area: HTMLElement;
  canvas: HTMLCanvasElement;
  /** The working copy is the last one. */
  panes: readonly HTMLElement[];
}

const FLASH_MS = 1200;
/** The distance between two samples of a quick brush stroke, in pixels. */
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
    private readonly slice: MarkingSlice,
    onBroken: () => void,
  ) {
    const { panes, root } = places;
    const working = panes.length - 1;
    this.world = createWorld(
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
    this.stops = [
      listenTo(places.area, this.gestures()),
      slice.subscribe((now) => this.follow(now)),
      () => root.removeEventListener("crosswalk:project", project),
    ];
    this.follow(slice.get());
  }

  destroy(): void {
    clearTimeout(this.flash);
    for (const stop of this.stops) stop();
    delete this.places.root.dataset.ready;
    this.world.destroy();
  }

  /** Turns to these cells and highlights them for a moment. */
  lookAt(cells: readonly number[]): void {
    const marking = this.slice.get();
    if (!marking || cells.length === 0) return;
    this.slice.dispatch({ type: "camera", camera: { ...marking.camera, target: centreOf(marking.grid.size, cells) } });
    clearTimeout(this.flash);
    this.world.paint("flash", "flash", cells);
    this.flash = setTimeout(() => this.world.paint("flash", "flash", []), FLASH_MS);
  }

  // Drawing
  // ------------------------------------------------------------------------------------------------------------

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

  /** Moves the camera if the cursor has left the picture. */
  private keepInView(now: Marking): void {
    const pane = this.places.panes.length - 1;
    const rect = this.places.panes[pane]?.getBoundingClientRect();
    const at = this.world.project(now.cursor, pane);
    if (!rect || (at && at.x > rect.left && at.x < rect.right && at.y > rect.top && at.y < rect.bottom)) return;
    const [x, y, z] = now.cursor;
    queueMicrotask(() =>
      this.slice.dispatch({ type: "camera", camera: { ...now.camera, target: [x + 0.5, y + 0.5, z + 0.5] } }),
    );
  }

  // Mouse and touch
  // ----------------------------------------------------------------------------------------------------

  private gestures(): Gestures {
    const { dispatch } = this.slice;
    return {
      draws: () => {
        const marking = this.slice.get();
        return marking !== null && !marking.isLooking && isDrawn(marking.tool);
      },
      hover: (x, y) => this.aim(x, y),
      leave: () => this.slice.get()?.aim && dispatch({ type: "aim", aim: null }),
      press: (x, y, byTouch) => {
        const at = this.aim(x, y);
        if (at) dispatch({ type: "use", at });
        // There is no hover without a mouse. A scene that is only looked at keeps the target, so that its text can be
        // read.
        if (byTouch && !this.slice.get()?.isLooking) dispatch({ type: "aim", aim: null });
      },
      drawFrom: (x, y) => {
        this.last = { x, y };
        const at = this.aim(x, y);
        if (this.slice.get()?.tool === "brush") dispatch({ type: "draw", over: at ? [at] : [], begins: true });
        else if (at) dispatch({ type: "corner", at });
      },
      drawTo: (x, y) => this.drawTo(x, y),
      drawn: (isDropped) => {
        const marking = this.slice.get();
        if (!marking?.corner) return;
        const at = pointed(marking);
        dispatch(isDropped || !at ? { type: "drop_corner" } : { type: "use", at });
      },
      ...cameraGestures((change) => this.see(change), this.places.panes),
    };
  }

  private see(change: (camera: Camera) => Camera): void {
    const marking = this.slice.get();
    if (marking) this.slice.dispatch({ type: "camera", camera: change(marking.camera) });
  }

  /** Sets the target of the pointer, and returns the cell that a tool would act on. */
  private aim(x: number, y: number): Cell | null {
    const marking = this.slice.get();
    if (!marking) return null;
    const aim: Aim | null = this.world.pick(x, y)?.hit ?? null;
    if (!isSameAim(aim, marking.aim) || marking.by === "keys") this.slice.dispatch({ type: "aim", aim });
    return aim && heldAt(marking, aim);
  }

  private drawTo(x: number, y: number): void {
    const from = this.last ?? { x, y };
    this.last = { x, y };
    if (this.slice.get()?.tool === "box") {
      // Beside the scene the box keeps its last corner.
      if (this.world.pick(x, y)) this.aim(x, y);
      return;
    }
    const steps = Math.max(1, Math.ceil(Math.hypot(x - from.x, y - from.y) / BRUSH_STEP));
    const over: Cell[] = [];
    for (let step = 1; step <= steps; step += 1) {
      const marking = this.slice.get();
      const found = this.world.pick(from.x + ((x - from.x) * step) / steps, from.y + ((y - from.y) * step) / steps);
      if (marking && found) over.push(heldAt(marking, found.hit));
    }
    this.slice.dispatch({ type: "draw", over, begins: false });
    this.aim(x, y);
  }
}

function isSameAim(a: Aim | null, b: Aim | null): boolean {
  if (!a || !b) return a === b;
  return a.cell.every((value, axis) => value === b.cell[axis]) && a.face.every((value, axis) => value === b.face[axis]);
}
