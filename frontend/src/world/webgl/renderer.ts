/** Draws the scene with WebGL2. Meshes are made for changed parts when a frame is drawn. */

import { agentBody, BODY_WIDTH, playerBody } from "./bodies";
import { eyeOf, halfField } from "../camera";
import { CHUNK, type Box, type Cell, type Pose } from "../frame";
import { Gpu, isSoftware, type Buffered, type Program } from "./gpu";
import type { Chunk, Grid } from "../grid";
import { matrixOf, type Matrix } from "../projection";
import { fillOf, PAINT_STYLES, ORDER, PATTERNS } from "../patterns";
import { meshOf } from "../mesh";
import { channels, material } from "../palette";
import { overlap, pixelRectOf, type PixelRect } from "../damage";
import { facesOf } from "../faces";
import { Stage, type Figures, type Layer, type Pane, type View } from "../stage";
import { dashed, edgesOf, sightOf, type Stroke } from "../strokes";

export type { Figures, Pane } from "../stage";

/** The browser has no WebGL2, or it is switched off. */
export class NoWebGl extends Error {
  constructor() {
    super("This browser has no WebGL2.");
  }
}

/** How far a change affects its surroundings: the sides of painted neighbours, and lines. */
const BORDER_BLOCKS = 1.1;
const BORDER_PIXELS = 10;

/** How long to wait for the return of a lost context. */
const RESTORE_WITHIN_MS = 5000;

interface Made {
  quads: Buffered;
  /** The version of the data that it was made of. */
  key: string;
}

export class WebglWorld extends Stage {
  private readonly gl: WebGL2RenderingContext;
  private readonly onBroken: (why: "context_lost") => void;
  private gpu: Gpu | null;
  private ground: [number, number, number] = [0.5, 0.5, 0.5];
  private chunks = new Map<number, Made>();
  private layerFaces = new Map<string, Made>();
  private bodies: Buffered | null = null;
  private lines = new Map<string, Buffered>();
  private areFiguresNew = true;
  private restoreTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(canvas: HTMLCanvasElement, panes: readonly Pane[], onBroken: (why: "context_lost") => void) {
    // The last picture is kept, so that a change redraws only its part.
    const gl = canvas.getContext("webgl2", {
      antialias: !isSoftware(),
      alpha: true,
      depth: true,
      preserveDrawingBuffer: true,
    });
    if (!gl) throw new NoWebGl();
    super(canvas, panes);
    this.gl = gl;
    this.onBroken = onBroken;
    this.gpu = new Gpu(gl);
    this.recolour();
    canvas.addEventListener("webglcontextlost", this.onLost);
    canvas.addEventListener("webglcontextrestored", this.onRestored);
  }

  override show(grid: Grid, figures: Figures): void {
    super.show(grid, figures);
    this.dropMeshes();
    this.areFiguresNew = true;
  }

  override setFigures(figures: Figures): void {
    super.setFigures(figures);
    this.areFiguresNew = true;
  }

  override destroy(): void {
    super.destroy();
    clearTimeout(this.restoreTimer);
    this.canvas.removeEventListener("webglcontextlost", this.onLost);
    this.canvas.removeEventListener("webglcontextrestored", this.onRestored);
    this.dropMeshes();
    for (const lines of [...this.lines.values(), ...(this.bodies ? [this.bodies] : [])]) this.gpu?.drop(lines);
    this.gpu?.free();
    this.gpu = null;
  }

  protected override recolour(): void {
    this.ground = channels(this.groundColour());
  }

  protected override draw(views: readonly View[], ratio: number, isAnew: boolean): boolean {
    const { gpu, gl } = this;
    if (!gpu || gl.isContextLost()) return false;
    this.meshChunks(gpu);
    this.meshLayers(gpu);
    if (this.areFiguresNew) this.meshFigures(gpu);
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(0, 0, 0, 0);
    if (isAnew) gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.SCISSOR_TEST);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    for (const view of views) this.drawView(gpu, view, ratio);
    return true;
  }

  private drawView(gpu: Gpu, view: View, ratio: number): void {
    const { gl } = this;
    const [x, width, height] = [
      Math.round(view.x * ratio),
      Math.round(view.width * ratio),
      Math.round(view.height * ratio),
    ];
    const y = this.canvas.height - Math.round(view.y * ratio) - height;
    const matrix = matrixOf(this.camera, width / height, this.grid.size, this.reach);
    const size = [width, height] as const;
    const part = view.changed
      ? pixelRectOf(matrix, view.changed, size, BORDER_BLOCKS, BORDER_PIXELS * ratio)
      : { x: 0, y: 0, width, height };
    if (!part) return;
    gl.viewport(x, y, width, height);
    gl.scissor(x + part.x, y + part.y, part.width, part.height);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    gl.depthFunc(gl.LESS);
    gl.clearColor(...this.ground, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.drawBlocks(gpu, matrix, size, part);
    this.drawBodies(gpu, matrix);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.drawLayers(gpu, matrix, this.layersOf(view.pane));
    this.drawLines(gpu, matrix, size, ratio);
  }

  private drawBlocks(gpu: Gpu, matrix: Matrix, size: readonly [number, number], part: PixelRect): void {
    const { gl } = this;
    this.use(gpu.block, matrix);
    gl.uniform1f(gpu.block.at("pixel"), (2 * halfField(this.camera)) / Math.min(...size));
    gl.uniform3fv(gpu.block.at("palette"), PALETTE);
    // The nearest chunks are drawn first, so that covered pixels cost nothing. Chunks beside the part are skipped.
    const eye = eyeOf(this.camera);
    const kept = this.grid.kept();
    const seen: { quads: Buffered; away: number }[] = [];
    for (const [key, { quads }] of this.chunks) {
      const chunk = kept.get(key);
      if (!chunk || quads.count === 0) continue;
      const low = chunk.at.map((one) => one * CHUNK) as unknown as Cell;
      const high = low.map((one) => one + CHUNK - 1) as unknown as Cell;
      const place = pixelRectOf(matrix, [{ low, high }], size, 0, 1);
      if (!place || !overlap(place, part)) continue;
      seen.push({ quads, away: Math.hypot(...low.map((one, axis) => one + CHUNK / 2 - (eye[axis] as number))) });
    }
    for (const { quads } of seen.sort((a, b) => a.away - b.away)) gpu.drawQuads(quads);
  }

  private drawBodies(gpu: Gpu, matrix: Matrix): void {
    if (!this.bodies || this.bodies.count === 0) return;
    this.use(gpu.figure, matrix);
    this.gl.bindVertexArray(this.bodies.array);
    this.gl.drawArrays(this.gl.TRIANGLES, 0, this.bodies.count);
  }

  private drawLayers(gpu: Gpu, matrix: Matrix, layers: readonly Layer[]): void {
    if (layers.length === 0) return;
    const { gl } = this;
    const { layer } = gpu;
    this.use(layer, matrix);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    for (const { name, style } of layers) {
      const made = this.layerFaces.get(name);
      if (!made || made.quads.count === 0) continue;
      const { colour, between = colour, pattern } = PAINT_STYLES[style];
      const { thin, dense } = fillOf(style);
      const order = ORDER.indexOf(style);
      // No slope factor: walls inside the ground, seen along their plane, would show through.
      gl.polygonOffset(0, -4 - 2 * order);
      gl.uniform1f(layer.at("out_by"), 0.02 + 0.003 * order);
      gl.uniform3f(layer.at("colour"), ...channels(colour));
      gl.uniform3f(layer.at("between"), ...channels(between));
      gl.uniform1i(layer.at("pattern"), PATTERNS.indexOf(pattern));
      gl.uniform1f(layer.at("thin"), thin);
      gl.uniform1f(layer.at("dense"), dense);
      // First the depth alone, then the colours of the nearest faces: a set that is not convex does not show through
      // itself.
      gl.colorMask(false, false, false, false);
      gl.depthFunc(gl.LESS);
      gpu.drawQuads(made.quads);
      gl.colorMask(true, true, true, true);
      gl.depthFunc(gl.EQUAL);
      gpu.drawQuads(made.quads);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  private drawLines(gpu: Gpu, matrix: Matrix, size: readonly [number, number], ratio: number): void {
    const { gl } = this;
    this.setLines(gpu, "outline", this.outlined ? edgesOf(this.outlined, 0.04) : []);
    const at = this.cursorAt;
    const edges = at && this.contains(at.cell) ? edgesOf({ low: at.cell, high: at.cell } satisfies Box, 0.05) : [];
    this.setLines(gpu, "cursor", at?.isAir ? dashed(edges, 3) : edges);
    this.use(gpu.line, matrix);
    gl.uniform2f(gpu.line.at("size"), size[0], size[1]);
    gl.disable(gl.CULL_FACE);
    gl.depthMask(false);
    const stroke = (name: string, wide: number, core: readonly [number, number, number]): void => {
      const lines = this.lines.get(name);
      if (!lines || lines.count === 0) return;
      gl.bindVertexArray(lines.array);
      for (const [when, share] of [
        [gl.GREATER, 0.45],
        [gl.LEQUAL, 1],
      ] as const) {
        gl.depthFunc(when);
        for (const [width, colour] of [
          [wide, INK],
          [wide * 0.45, core],
        ] as const) {
          gl.uniform1f(gpu.line.at("width"), width * ratio);
          gl.uniform4f(gpu.line.at("colour"), colour[0], colour[1], colour[2], share);
          gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, lines.count);
        }
      }
    };
    stroke("agent", 3.5, [1, 0.62, 0.2]);
    stroke("player", 3.5, [0.5, 0.72, 1]);
    stroke("outline", 4, [1, 1, 1]);
    stroke("cursor", 6, [1, 1, 1]);
    gl.enable(gl.CULL_FACE);
    gl.depthMask(true);
    gl.bindVertexArray(null);
  }

  private dropMeshes(): void {
    for (const { quads } of [...this.chunks.values(), ...this.layerFaces.values()]) this.gpu?.drop(quads);
    this.chunks.clear();
    this.layerFaces.clear();
  }

  private meshChunks(gpu: Gpu): void {
    const kept = this.grid.kept();
    for (const [key, { quads }] of this.chunks) {
      if (kept.has(key)) continue;
      gpu.drop(quads);
      this.chunks.delete(key);
    }
    for (const [key, chunk] of kept) {
      const state = this.stateOf(chunk);
      const made = this.chunks.get(key);
      if (made?.key === state) continue;
      this.chunks.set(key, { quads: gpu.upload(meshOf(this.grid, chunk, this.shown), made?.quads), key: state });
    }
  }

  /**
   * Everything that the mesh of a chunk depends on. Of the cut only the part in the chunk, so that moving it remakes
   * few meshes.
   */
  private stateOf(chunk: Chunk): string {
    const { low, high } = this.shown.box;
    let state = `${chunk.version} ${this.shownVersion}`;
    for (let axis = 0; axis < 3; axis++) {
      const start = chunk.at[axis as 0] * CHUNK;
      state += ` ${Math.min(Math.max(low[axis as 0] - start, -1), CHUNK)} ${Math.min(Math.max(high[axis as 0] - start, -1), CHUNK)}`;
    }
    return state;
  }

  private meshLayers(gpu: Gpu): void {
    const { box } = this.shown;
    const shown = `${this.shownVersion} ${box.low.join()} ${box.high.join()}`;
    const names = new Set<string>();
    for (const layer of this.allLayers()) {
      names.add(layer.name);
      const key = `${layer.version} ${shown}`;
      const made = this.layerFaces.get(layer.name);
      if (made?.key === key) continue;
      this.layerFaces.set(layer.name, {
        quads: gpu.upload(facesOf(this.grid.size, layer.cells, this.shown), made?.quads),
        key,
      });
    }
    for (const [name, { quads }] of this.layerFaces) {
      if (names.has(name)) continue;
      gpu.drop(quads);
      this.layerFaces.delete(name);
    }
  }

  private meshFigures(gpu: Gpu): void {
    const { gl } = this;
    const { agent, player } = this.figures;
    const parts = [agent && agentBody(agent), player && playerBody(player)].filter((part) => part !== null);
    const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
    let length = 0;
    for (const part of parts) {
      all.set(part, length);
      length += part.length;
    }
    this.bodies ??= gpu.floats([3, 3, 3], false);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.bodies.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, all, gl.DYNAMIC_DRAW);
    this.bodies.count = length / BODY_WIDTH;
    const sight = (pose: Pose | null): Stroke[] => (pose ? sightOf(pose) : []);
    this.setLines(gpu, "agent", sight(agent));
    this.setLines(gpu, "player", sight(player));
    this.areFiguresNew = false;
  }

  private setLines(gpu: Gpu, name: string, strokes: readonly Stroke[]): void {
    let lines = this.lines.get(name);
    if (!lines) this.lines.set(name, (lines = gpu.floats([3, 3], true)));
    lines.count = strokes.length;
    if (strokes.length === 0) return;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, lines.buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, new Float32Array(strokes.flat(2)), this.gl.DYNAMIC_DRAW);
  }

  private use({ program, at }: Program, matrix: Matrix): void {
    this.gl.useProgram(program);
    this.gl.uniformMatrix4fv(at("view"), false, matrix);
  }

  private readonly onLost = (event: Event): void => {
    // Without this the browser would not restore the context.
    event.preventDefault();
    this.gpu = null;
    clearTimeout(this.restoreTimer);
    this.restoreTimer = setTimeout(() => this.onBroken("context_lost"), RESTORE_WITHIN_MS);
  };

  private readonly onRestored = (): void => {
    clearTimeout(this.restoreTimer);
    this.gpu = new Gpu(this.gl);
    this.chunks.clear();
    this.layerFaces.clear();
    this.lines.clear();
    this.bodies = null;
    this.areFiguresNew = true;
    this.redraw();
  };
}

const INK = [0.05, 0.06, 0.09] as const;

/** Colours by id; the last one is for unknown ids. */
const PALETTE = new Float32Array(
  Array.from({ length: Gpu.paletteLength }, (_, id) => channels(material(id).colour)).flat(),
);
