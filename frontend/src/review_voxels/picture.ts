/** The picture of a scene with what is painted over it: it is looked at from all sides, nothing in it is changed. */

import { framing, orbit, pan, zoom, type Camera } from "../world/camera";
import type { Scene } from "../world/frame";
import type { Grid } from "../world/grid";
import { LOOKS, type Look } from "../world/looks";
import { openWorld } from "../world/open";
import type { Stage } from "../world/stage";
import { lookAround } from "../voxels/looking";
import type { Turning } from "../voxels/turning";
import type { Coat } from "./coats";

/** Degrees; shares of the distance; 2 is twice as near. */
export type Move = Turning | { do: "pan"; right: number; up: number };

/** The pane is what is drawn in and takes the mouse. `data-ready` is set on it once the scene is painted. */
export interface Places {
  pane: HTMLElement;
  canvas: HTMLCanvasElement;
}

export class MaskPicture {
  private readonly world: Stage;
  private readonly stops: (() => void)[];

  constructor(
    private readonly places: Places,
    private readonly scene: Scene,
    private readonly grid: Grid,
    onBroken: () => void,
  ) {
    const { pane, canvas } = places;
    this.world = openWorld(canvas, [{ element: pane, layers: "all" }], onBroken);
    this.world.show(grid, { agent: scene.agent, player: scene.player });
    this.world.camera = framing(scene.size, grid);
    this.stops = [lookAround(pane, (change) => this.see(change))];
    void this.world.drawn.then(() => (pane.dataset.ready = "1"));
  }

  /** Paints these and nothing else. */
  paint(coats: readonly Coat[]): void {
    for (const look of Object.keys(LOOKS) as Look[]) this.world.paint(look, look, coats.find((coat) => coat.look === look)?.cells ?? []);
  }

  hide(cells: ReadonlySet<number> | null): void {
    this.world.hide(cells);
  }

  move(move: Move): void {
    switch (move.do) {
      case "turn":
        return this.see((camera) => orbit(camera, move.yaw, move.pitch));
      case "pan":
        return this.see((camera) => pan(camera, move.right * camera.distance, move.up * camera.distance));
      case "zoom":
        return this.see((camera) => zoom(camera, move.factor));
      case "reset":
        return this.see(() => framing(this.scene.size, this.grid));
    }
  }

  destroy(): void {
    for (const stop of this.stops) stop();
    delete this.places.pane.dataset.ready;
    this.world.destroy();
  }

  private see(change: (camera: Camera) => Camera): void {
    this.world.camera = change(this.world.camera);
  }
}
