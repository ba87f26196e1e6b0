/** The 3D picture of a session at a moment: blocks, both figures, found objects and the box that is pointed at. */

import { Flash } from "../../tools/interaction/walking/flash";
import { listenForCamera } from "../../tools/voxels/camera/camera_input";
import type { CameraStep } from "../../tools/voxels/camera/camera_steps";
import { framing, orbit, cameraAtEyes, zoom, type Camera } from "../../world/camera";
import { AIR, cellOf, contains, eyesOf, indexOf, type Pose, type Scene } from "../../world/frame";
import { Grid } from "../../world/grid";
import { createWorld } from "../../world/create";
import type { Stage } from "../../world/stage";
import type { Moment } from "./moment";

/** The camera position: outside, or the eyes of the worker or the agent. */
export type View = "outside" | "worker" | "agent";

/** `data-ready` is set on the pane when the world is painted. */
export interface Places {
  pane: HTMLElement;
  canvas: HTMLCanvasElement;
}

/** How long a pointed box stays lit, in session time. */
const POINTED_MS = 4000;
const FOUND = "found";
/** A pane that is wider than high by this factor shows a flat world that much nearer. */
const WIDE = 1.25;

export class WorldPicture {
  private readonly world: Stage;
  private readonly grid: Grid;
  private readonly first: Grid;
  private readonly flash: Flash;
  private readonly stops: (() => void)[];
  private shown: ReadonlyMap<number, number> = new Map();
  private found: unknown = null;
  private pointed: number | null = null;
  private view: View = "outside";
  private outside: Camera;
  private agent: Pose | null;
  private player: Pose | null;

  constructor(
    private readonly places: Places,
    private readonly scene: Scene,
    isCalm: () => boolean,
    onBroken: () => void,
  ) {
    const { pane, canvas } = places;
    this.first = Grid.of(scene);
    this.grid = Grid.of(scene);
    this.agent = scene.agent;
    this.player = scene.player;
    this.world = createWorld(canvas, [{ element: pane, layers: "all" }], onBroken);
    this.world.show(this.grid, { agent: scene.agent, player: scene.player });
    this.outside = this.whole();
    this.world.camera = this.outside;
    this.flash = new Flash(this.world, scene.size, isCalm);
    this.stops = [listenForCamera(pane, (change) => this.see(change))];
    void this.world.drawn.then(() => (pane.dataset.ready = "1"));
  }

  /** Shows the moment. `at_ms` is the session time, which decides when a pointed box goes dark. */
  show(moment: Moment, at_ms: number): void {
    this.showBlocks(moment.blocks);
    const found = moment.command?.found ?? null;
    if (found !== this.found) {
      this.found = found;
      const { size } = this.scene;
      const cells = (found ?? []).flatMap(({ voxels }) =>
        voxels.filter((cell) => contains(size, ...cell)).map((cell) => indexOf(size, ...cell)),
      );
      this.world.paint(FOUND, "marked", cells);
    }
    const pointing = moment.pointing && at_ms - moment.pointing.at_ms < POINTED_MS ? moment.pointing : null;
    if ((pointing?.seq ?? null) !== this.pointed) {
      this.pointed = pointing?.seq ?? null;
      this.flash.show(pointing?.box ?? null);
    }
    if (moment.agent !== this.agent || moment.player !== this.player) {
      [this.agent, this.player] = [moment.agent, moment.player];
      this.stand();
    }
  }

  /** Changes the camera position. The figure whose eyes are used is not drawn. */
  look(view: View): void {
    if (this.view === "outside") this.outside = this.world.camera;
    this.view = view;
    if (view === "outside") this.world.camera = this.outside;
    this.stand();
  }

  move(move: CameraStep): void {
    switch (move.do) {
      case "turn":
        return this.see((camera) => orbit(camera, move.yaw, move.pitch));
      case "zoom":
        return this.see((camera) => zoom(camera, move.factor));
      case "reset":
        return this.see(() => this.whole());
    }
  }

  destroy(): void {
    this.flash.stop();
    for (const stop of this.stops) stop();
    delete this.places.pane.dataset.ready;
    this.world.destroy();
  }

  /** The camera that shows the whole world. Framing assumes a square pane; a wide pane allows a nearer camera. */
  private whole(): Camera {
    const { clientWidth: width, clientHeight: height } = this.places.pane;
    const camera = framing(this.scene.size, this.grid);
    return width > WIDE * height ? zoom(camera, WIDE) : camera;
  }

  private showBlocks(blocks: ReadonlyMap<number, number>): void {
    if (blocks === this.shown) return;
    const { size } = this.scene;
    for (const [index, id] of blocks) if (this.shown.get(index) !== id) this.grid.set(...cellOf(size, index), id);
    for (const index of this.shown.keys()) {
      if (blocks.has(index)) continue;
      const cell = cellOf(size, index);
      this.grid.set(...cell, this.first.get(...cell) || AIR);
    }
    this.shown = blocks;
    this.world.refresh();
  }

  private stand(): void {
    const { view, agent, player } = this;
    this.world.setFigures({ agent: view === "agent" ? null : agent, player: view === "worker" ? null : player });
    const eyes = view === "agent" ? agent : view === "worker" ? player : null;
    if (eyes) this.world.camera = cameraAtEyes(eyesOf(eyes), eyes.yaw, eyes.pitch);
  }

  /** Only the outside camera can be moved by hand. */
  private see(change: (camera: Camera) => Camera): void {
    if (this.view === "outside") this.world.camera = change(this.world.camera);
  }
}
