/** Draws the scene on a 2D canvas, for browsers without WebGL2: less detailed and slower. */

import { basisOf, eyeOf, halfField, type Camera } from "./camera";
import { FACES, feetOf, type Box, type Cell, type Pose } from "./frame";
import type { Grid } from "./grid";
import { fillOf, PAINT_STYLES, type Pattern } from "./patterns";
import { channels, material } from "./palette";
import { facesOf } from "./faces";
import { Stage, type Figures, type Layer, type View } from "./stage";
import { dashed, edgesOf, sightOf } from "./strokes";
import { drawStrokes, drawTile, type Placing, type Tile } from "./tiles";

/** Blocks smaller than this many pixels get no edges. */
const SMALL = 7;

const LIGHT = [0.76, 0.7, 1, 0.56, 0.88, 0.83] as const;

/**
 * Sorts back to front by the distance from the eye's cell along x, then y, then z. Of two cells on one side of the eye
 * the farther one never covers the nearer one, so the order is exact.
 */
export function depthKey(cell: Cell, eye: Cell): number {
  const away = (axis: 0 | 1 | 2): number => Math.min(Math.abs(cell[axis] - Math.floor(eye[axis])), 4095);
  return (away(0) * 4096 + away(1)) * 4096 + away(2);
}

export class Canvas2dWorld extends Stage {
  private blocks: Tile[] = [];
  private made = "";
  private ground = "#888888";

  override show(grid: Grid, figures: Figures): void {
    super.show(grid, figures);
    this.recolour();
    this.made = "";
  }

  override refresh(changed?: readonly Box[]): void {
    this.made = "";
    super.refresh(changed);
  }

  protected override recolour(): void {
    this.ground = this.groundColour();
  }

  protected override draw(views: readonly View[], ratio: number, isAnew: boolean): boolean {
    // This option keeps drawing on the processor, where many small shapes are much faster.
    const context = this.canvas.getContext("2d", { willReadFrequently: true });
    if (!context) return false;
    const made = `${this.shownVersion} ${this.shown.box.low.join()} ${this.shown.box.high.join()}`;
    if (this.made !== made) this.blocks = this.tilesOfBlocks();
    this.made = made;
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (isAnew) context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    for (const view of views) {
      context.save();
      context.setTransform(ratio, 0, 0, ratio, view.x * ratio, view.y * ratio);
      context.beginPath();
      context.rect(0, 0, view.width, view.height);
      context.clip();
      context.fillStyle = this.ground;
      context.fillRect(0, 0, view.width, view.height);
      this.drawView(context, view);
      context.restore();
    }
    return true;
  }

  private drawView(context: CanvasRenderingContext2D, view: View): void {
    const eye = eyeOf(this.camera);
    const tiles = [
      ...this.blocks,
      ...this.layersOf(view.pane).flatMap((layer) => this.tilesOfLayer(layer)),
      ...this.tilesOfFigures(),
    ];
    const seen = tiles.filter(({ cell, face }) => {
      const axis = (face >> 1) as 0 | 1 | 2;
      return face & 1 ? eye[axis] < cell[axis] : eye[axis] > cell[axis] + 1;
    });
    const keys = new Map(seen.map((tile) => [tile, depthKey(tile.cell, eye)]));
    const toPage = this.placing(view);
    context.lineJoin = "round";
    // The sort is stable, so paint comes after its block.
    const isFar = scaleOf(view, this.camera) / this.camera.distance < SMALL;
    for (const tile of seen.sort((a, b) => (keys.get(b) ?? 0) - (keys.get(a) ?? 0)))
      drawTile(context, tile, toPage, isFar);
    const at = this.cursorAt;
    if (this.outlined) drawStrokes(context, edgesOf(this.outlined, 0.04), toPage, 4);
    for (const pose of [this.figures.agent, this.figures.player])
      if (pose) drawStrokes(context, sightOf(pose), toPage, 3);
    if (!at) return;
    const edges = edgesOf({ low: at.cell, high: at.cell }, 0.05);
    drawStrokes(context, at.isAir ? dashed(edges, 3) : edges, toPage, 6);
  }

  private placing(view: View): Placing {
    const { right, up, forward } = basisOf(this.camera);
    const eye = eyeOf(this.camera);
    const scale = scaleOf(view, this.camera);
    return (point) => {
      const [x, y, z] = [point[0] - eye[0], point[1] - eye[1], point[2] - eye[2]];
      const depth = x * forward[0] + y * forward[1] + z * forward[2];
      if (depth < 0.05) return null;
      const along = (axis: Cell): number => ((x * axis[0] + y * axis[1] + z * axis[2]) / depth) * scale;
      return [view.width / 2 + along(right), view.height / 2 - along(up)];
    };
  }

  private tilesOfBlocks(): Tile[] {
    const tiles: Tile[] = [];
    const paints = new Map<number, readonly [fill: string, line: string]>();
    this.grid.each((x, y, z, id) => {
      if (!this.isSolid(x, y, z)) return;
      for (const [face, step] of FACES.entries()) {
        if (this.isSolid(x + step[0], y + step[1], z + step[2])) continue;
        let paint = paints.get(id * 8 + face);
        if (!paint) paints.set(id * 8 + face, (paint = paintOf(id, LIGHT[face] as number)));
        tiles.push({ cell: [x, y, z], face, fill: paint[0], line: paint[1] });
      }
    });
    return tiles;
  }

  private tilesOfLayer(layer: Layer): Tile[] {
    const corners = facesOf(this.grid.size, layer.cells, this.shown);
    const { colour, between = colour, pattern } = PAINT_STYLES[layer.style];
    const fill = css(channels(between), fillOf(layer.style).thin);
    return Array.from({ length: corners.length / 16 }, (_, one): Tile => {
      const first = corners.subarray(one * 16, one * 16 + 4);
      const face = (first[3] as number) & 7;
      const cell: [number, number, number] = [first[0] as number, first[1] as number, first[2] as number];
      if (!(face & 1)) cell[face >> 1] = (cell[face >> 1] as number) - 1;
      return { cell, face, fill, line: colour, paint: { pattern, sides: (first[3] as number) >> 5 } };
    });
  }

  /** Each figure is drawn as two cells with its own pattern. */
  private tilesOfFigures(): Tile[] {
    const tilesOf = (pose: Pose | null, body: string, head: string, pattern: Pattern): Tile[] => {
      if (!pose) return [];
      const feet = feetOf(pose).map(Math.floor) as unknown as Cell;
      const tileOf = (up: number, face: number): Tile => ({
        cell: [feet[0], feet[1] + up, feet[2]],
        face,
        fill: up ? head : body,
        line: "#111111",
        paint: { pattern, sides: 0 },
      });
      return [0, 1].flatMap((up) => FACES.map((_, face) => tileOf(up, face)));
    };
    return [
      ...tilesOf(this.figures.agent, "#dfe4ea", "#f0871f", "grid"),
      ...tilesOf(this.figures.player, "#2f62c4", "#eec39a", "dots"),
    ];
  }
}

function paintOf(id: number, light: number): readonly [fill: string, line: string] {
  const colour = channels(material(id).colour).map((one) => one * light) as [number, number, number];
  const isDark = Math.max(...colour) < 0.25;
  return [css(colour, 1), css(colour.map((one) => (isDark ? one + 0.15 : one * 0.7)) as [number, number, number], 1)];
}

function css(colour: readonly [number, number, number], share: number): string {
  return `rgb(${colour.map((one) => Math.round(one * 255)).join(" ")} / ${share})`;
}

/** The length of a block in pixels at a distance of one block. */
function scaleOf(view: View, camera: Camera): number {
  return Math.min(view.width, view.height) / 2 / halfField(camera);
}
