/** The picture of a session's world at a moment: its blocks, both figures, what was found and what is pointed at. */

import { Flash } from "../interaction/walking/flash";
import { lookAround } from "../voxels/looking";
import type { Turning } from "../voxels/turning";
import { framing, orbit, standing, zoom, type Camera } from "../world/camera";
import { AIR, cellOf, contains, eyesOf, indexOf, type Pose, type Scene } from "../world/frame";
import { Grid } from "../world/grid";
import { openWorld } from "../world/open";
import type { Stage } from "../world/stage";
import type { Moment } from "./moment";

/** From where it is looked at: outside, or with somebody's eyes. */
export type View = "outside" | "worker" | "agent";

/** `data-ready` is set on the pane once the world is drawn. */
export interface Places {
  pane: HTMLElement;
  canvas: HTMLCanvasElement;
}

/** How long what was pointed at stays lit, in the session's own time. */
const POINTED_MS = 4000;
const FOUND = "found";
/** A pane this much wider than high has room for a level world that is so much nearer. */
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
    this.world = openWorld(canvas, [{ element: pane, layers: "all" }], onBroken);
    this.world.show(this.grid, { agent: scene.agent, player: scene.player });
    this.outside = this.whole();
    this.world.camera = this.outside;
    this.flash = new Flash(this.world, scene.size, isCalm);
    this.stops = [lookAround(pane, (change) => this.see(change))];
    void this.world.drawn.then(() => (pane.dataset.ready = "1"));
  }

  /** Shows the moment; `at_ms` is the session's time, by which what was pointed at goes out again. */
  show(moment: Moment, at_ms: number): void {
    this.showBlocks(moment.blocks);
    const found = moment.command?.found ?? null;
    if (found !== this.found) {
      this.found = found;
      const { size } = this.scene;
      const cells = (found ?? []).flatMap(({ voxels }) => voxels.filter((cell) => contains(size, ...cell)).map((cell) => indexOf(size, ...cell)));
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

  /** Looks from elsewhere. With somebody's eyes, they themselves are not in the picture. */
  look(view: View): void {
    if (this.view === "outside") this.outside = this.world.camera;
    this.view = view;
    if (view === "outside") this.world.camera = this.outside;
    this.stand();
  }

  move(move: Turning): void {
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

  /** All of the world in view. Framing is for a square: where there is room to both sides, it may be nearer. */
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
    this.world.stand({ agent: view === "agent" ? null : agent, player: view === "worker" ? null : player });
    const eyes = view === "agent" ? agent : view === "worker" ? player : null;
    if (eyes) this.world.camera = standing(eyesOf(eyes), eyes.yaw, eyes.pitch);
  }

  /** Eyes are moved by whoever has them. */
  private see(change: (camera: Camera) => Camera): void {
    if (this.view === "outside") this.world.camera = change(this.world.camera);
  }
}
