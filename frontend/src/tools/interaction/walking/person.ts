/** The worker in the world: held keys move the body, the camera follows the eyes, and building is reported. */

import { cameraAtEyes } from "../../../world/camera";
import { AIR, contains, indexOf, type Box, type Cell, type Pose, type Scene } from "../../../world/frame";
import { Grid } from "../../../world/grid";
import { createWorld } from "../../../world/create";
import type { Hit } from "../../../world/pick";
import type { Stage } from "../../../world/stage";
import { isHeld, type Action, type Held } from "./actions";
import { aimed, placeBeside } from "./aim";
import { Clock } from "./clock";
import { putCrosshair } from "./crosshair";
import { Flash } from "./flash";
import { listenToKeys } from "./keyboard";
import { eyeOf, isStill, poseOf, step, STEP_S, turned, walkerAt, within, type Walker } from "./motion";
import { listenToMouse } from "./mouse";
import type { Walk, WalkEvents } from "./types";

/** Degrees of one press with reduced motion. */
const TURN = 15;
const TURNS: Partial<Record<Held, readonly [left: number, up: number]>> = {
  turn_left: [TURN, 0],
  turn_right: [-TURN, 0],
  look_up: [0, TURN],
  look_down: [0, -TURN],
};

/** Up to this many changed cells are redrawn one by one; for more, whole chunks are compared. */
const MOST_CHANGES = 64;

export class FirstPerson implements Walk {
  readonly stage: Stage;
  private readonly grid: Grid;
  private readonly pane: HTMLElement;
  private readonly calm = matchMedia("(prefers-reduced-motion: reduce)");
  private readonly clock = new Clock(STEP_S, (steps) => this.pass(steps));
  private readonly light: Flash;
  private readonly stops: (() => void)[];
  private readonly held = new Set<Held>();
  private walker: Walker;
  private agent: Pose | null;
  private reportedPose: Pose;
  private aim: Hit | null = null;
  private block = 1;
  /** Cells changed since the last refresh; a refresh is scheduled if there are any. */
  private changes: Cell[] = [];
  private isOpen = true;

  constructor(
    canvas: HTMLCanvasElement,
    pane: HTMLElement,
    scene: Scene,
    at: Pose,
    private readonly on: WalkEvents,
  ) {
    this.pane = pane;
    this.grid = Grid.of(scene);
    this.agent = scene.agent;
    this.reportedPose = at;
    this.walker = within(scene.size, walkerAt(at));
    this.stage = createWorld(canvas, [{ element: pane, layers: "all" }], () => on.broken());
    this.light = new Flash(this.stage, scene.size, () => this.calm.matches);
    this.stage.show(this.grid, this.figures);
    this.see();
    if (!pane.hasAttribute("tabindex")) pane.tabIndex = 0;
    // A finger turns the view; it must not scroll the page.
    pane.style.touchAction = "none";
    const crosshair = putCrosshair(canvas);
    this.stops = [
      listenToKeys(pane, {
        pressed: (action, isRepeat) => this.pressed(action, isRepeat),
        released: (action) => this.press(action, false),
        left: () => this.held.clear(),
      }),
      listenToMouse(pane, canvas, {
        look: (left, up) => this.look(left, up),
        place: () => this.pressed("place"),
        destroy: () => this.pressed("destroy"),
      }),
      () => crosshair.remove(),
    ];
    // If the start was outside of the world, the worker now has another pose, which must be reported.
    this.clock.wake();
    void this.stage.drawn.then(() => {
      if (this.isOpen) pane.dataset.ready = "1";
    });
  }

  get pose(): Pose {
    return poseOf(this.walker);
  }

  setBlock(x: number, y: number, z: number, id: number): void {
    if (!contains(this.grid.size, x, y, z) || this.grid.get(x, y, z) === id) return;
    this.grid.set(x, y, z, id);
    this.changes.push([x, y, z]);
    if (this.changes.length === 1) queueMicrotask(() => this.refresh());
  }

  setAgent(pose: Pose | null): void {
    this.agent = pose;
    this.stage.setFigures(this.figures);
  }

  flash(box: Box | null): void {
    this.light.show(box);
  }

  mark(cells: Iterable<Cell>): void {
    const [blocks, air]: [number[], number[]] = [[], []];
    for (const cell of cells) {
      if (contains(this.grid.size, ...cell))
        (this.grid.get(...cell) === AIR ? air : blocks).push(indexOf(this.grid.size, ...cell));
    }
    this.stage.paint("marked", "marked", blocks);
    this.stage.paint("marked-air", "marked-air", air);
  }

  setBlockInHand(id: number): void {
    this.block = id;
  }

  press(action: Action, isDown: boolean): void {
    if (isDown) this.pressed(action);
    else if (isHeld(action)) this.held.delete(action);
  }

  focus(): void {
    this.pane.focus({ preventScroll: true });
  }

  destroy(): void {
    this.isOpen = false;
    this.clock.stop();
    this.light.stop();
    for (const stop of this.stops) stop();
    delete this.pane.dataset.ready;
    this.stage.destroy();
  }

  // Input
  // --------------------------------------------------------------------------------------------------------------

  private pressed(action: Action, isRepeat = false): void {
    if (isHeld(action)) {
      const turn = this.calm.matches ? TURNS[action] : undefined;
      if (turn) return this.look(...turn);
      this.held.add(action);
      this.clock.wake();
    } else if (!isRepeat) this.build(action);
  }

  private look(left: number, up: number): void {
    this.walker = turned(this.walker, left, up);
    this.see();
    this.clock.wake();
  }

  private build(action: "place" | "destroy"): void {
    if (!this.aim) return this.on.missed("far");
    if (action === "destroy") return this.on.destroy(this.aim.cell);
    const people = [this.walker, ...(this.agent ? [walkerAt(this.agent)] : [])];
    const at = placeBeside(this.aim, this.grid.size, this.isBlock, people);
    if (at) this.on.place(at, this.block);
    else this.on.missed("no_room");
  }

  // Output
  // -------------------------------------------------------------------------------------------------------------

  /** Runs so many steps; returns whether more will follow. */
  private pass(steps: number): boolean {
    const before = this.walker;
    for (let one = 0; one < steps; one++) this.walker = step(this.walker, this.held, STEP_S, this.isSolid);
    if (this.walker !== before) this.see();
    const pose = this.pose;
    if ((Object.keys(pose) as (keyof Pose)[]).some((name) => pose[name] !== this.reportedPose[name])) {
      this.reportedPose = pose;
      this.on.moved(pose);
    }
    return !isStill(this.walker, this.held);
  }

  /** Moves the camera to the eyes and outlines the target block. */
  private see(): void {
    this.stage.camera = cameraAtEyes(eyeOf(this.walker), this.walker.yaw, this.walker.pitch);
    this.aimAgain();
  }

  private aimAgain(): void {
    const before = this.aim;
    this.aim = aimed(this.walker, this.grid.size, this.isBlock);
    if (before?.cell.join() !== this.aim?.cell.join()) this.stage.cursor(this.aim?.cell ?? null, false);
  }

  private refresh(): void {
    const changes = this.changes;
    this.changes = [];
    if (!this.isOpen) return;
    this.stage.refresh(changes.length <= MOST_CHANGES ? changes.map((cell) => ({ low: cell, high: cell })) : undefined);
    this.aimAgain();
  }

  /** The worker's own figure is not drawn, because the camera is inside it. */
  private get figures(): { agent: Pose | null; player: null } {
    return { agent: this.agent, player: null };
  }

  private readonly isBlock = (x: number, y: number, z: number): boolean => this.grid.get(x, y, z) !== AIR;
  private readonly isSolid = (x: number, y: number, z: number): boolean =>
    !contains(this.grid.size, x, y, z) || this.isBlock(x, y, z);
}
