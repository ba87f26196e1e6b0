/** The 3D picture of a scene with its layers. It can be turned, and nothing in it can be changed. */

import { framing, orbit, pan, zoom, type Camera } from "../../world/camera";
import type { Scene } from "../../world/frame";
import type { Grid } from "../../world/grid";
import { PAINT_STYLES, type PaintStyle } from "../../world/patterns";
import { createWorld } from "../../world/create";
import type { Stage } from "../../world/stage";
import { listenForCamera } from "../../tools/voxels/camera/camera_input";
import type { CameraStep } from "../../tools/voxels/camera/camera_steps";
import type { ShownLayer } from "./layers_shown";

/** Degrees, shares of the distance, and a factor: 2 is twice as near. */
export type Move = CameraStep | { do: "pan"; right: number; up: number };

/** The pane shows the picture and takes the mouse. `data-ready` is set on it when the scene is painted. */
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
    this.world = createWorld(canvas, [{ element: pane, layers: "all" }], onBroken);
    this.world.show(grid, { agent: scene.agent, player: scene.player });
    this.world.camera = framing(scene.size, grid);
    this.stops = [listenForCamera(pane, (change) => this.see(change))];
    void this.world.drawn.then(() => (pane.dataset.ready = "1"));
  }

  /** Paints these layers and removes all others. */
  paint(layers: readonly ShownLayer[]): void {
    for (const style of Object.keys(PAINT_STYLES) as PaintStyle[])
      this.world.paint(style, style, layers.find((layer) => layer.style === style)?.cells ?? []);
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
