/** The scene drawn with WebGL2: meshes are made of what changed, when a frame is drawn. */

import { agentBody, BODY_WIDTH, playerBody } from "./bodies";
import { eyeOf, halfField } from "./camera";
import { CHUNK, type Box, type Cell, type Pose } from "./frame";
import { Gpu, isSoftware, type Buffered, type Program } from "./gpu";
import type { Chunk, Grid } from "./grid";
import { matrixOf, type Matrix } from "./lens";
import { fillOf, LOOKS, ORDER, PATTERNS } from "./looks";
import { meshOf } from "./mesh";
import { channels, material } from "./palette";
import { overlap, partOf, type Part } from "./patch";
import { shellOf } from "./shell";
import { Stage, type Figures, type Layer, type Pane, type View } from "./stage";
import { dashed, edgesOf, sightOf, type Stroke } from "./strokes";

export type { Figures, Pane } from "./stage";

/** The browser has no WebGL2, or it is switched off. */
export class NoWebGl extends Error {
  constructor() {
    super("This browser has no WebGL2.");
  }
}

/** How far around a change more than it looks otherwise: the sides of what is painted beside it, and lines. */
const BORDER_BLOCKS = 1.1;
const BORDER_PIXELS = 10;

/** How long a lost context is waited for. */
const PATIENCE_MS = 5000;

interface Made {
  quads: Buffered;
  /** What it was made of. */
  key: string;
}

export class World extends Stage {
  private readonly gl: WebGL2RenderingContext;
  private readonly onBroken: (why: "context_lost") => void;
  private gpu: Gpu | null;
  private ground: [number, number, number] = [0.5, 0.5, 0.5];
  private chunks = new Map<number, Made>();
  private shells = new Map<string, Made>();
  private bodies: Buffered | null = null;
  private lines = new Map<string, Buffered>();
  private areFiguresNew = true;
  private patience: ReturnType<typeof setTimeout> | undefined;

  constructor(canvas: HTMLCanvasElement, panes: readonly Pane[], onBroken: (why: "context_lost") => void) {
    // The last picture is kept, so that a change costs only the part of it that it touches.
    const gl = canvas.getContext("webgl2", { antialias: !isSoftware(), alpha: true, depth: true, preserveDrawingBuffer: true });
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

  override stand(figures: Figures): void {
    super.stand(figures);
    this.areFiguresNew = true;
  }

  override destroy(): void {
    super.destroy();
    clearTimeout(this.patience);
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
    this.meshShells(gpu);
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
    const [x, width, height] = [Math.round(view.x * ratio), Math.round(view.width * ratio), Math.round(view.height * ratio)];
    const y = this.canvas.height - Math.round(view.y * ratio) - height;
    const matrix = matrixOf(this.camera, width / height, this.grid.size, this.reach);
    const size = [width, height] as const;
    const part = view.changed ? partOf(matrix, view.changed, size, BORDER_BLOCKS, BORDER_PIXELS * ratio) : { x: 0, y: 0, width, height };
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
    this.drawShells(gpu, matrix, this.layersOf(view.pane));
    this.drawLines(gpu, matrix, size, ratio);
  }

  private drawBlocks(gpu: Gpu, matrix: Matrix, size: readonly [number, number], part: Part): void {
    const { gl } = this;
    this.use(gpu.block, matrix);
    gl.uniform1f(gpu.block.at("pixel"), (2 * halfField(this.camera)) / Math.min(...size));
    gl.uniform3fv(gpu.block.at("palette"), PALETTE);
    // The nearest first: what they cover then costs nothing. Those beside the part cost nothing either.
    const eye = eyeOf(this.camera);
    const kept = this.grid.kept();
    const seen: { quads: Buffered; away: number }[] = [];
    for (const [key, { quads }] of this.chunks) {
      const chunk = kept.get(key);
      if (!chunk || quads.count === 0) continue;
      const low = chunk.at.map((one) => one * CHUNK) as unknown as Cell;
      const high = low.map((one) => one + CHUNK - 1) as unknown as Cell;
      const place = partOf(matrix, [{ low, high }], size, 0, 1);
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

  private drawShells(gpu: Gpu, matrix: Matrix, layers: readonly Layer[]): void {
    if (layers.length === 0) return;
    const { gl } = this;
    const { shell } = gpu;
    this.use(shell, matrix);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    for (const { name, look } of layers) {
      const made = this.shells.get(name);
      if (!made || made.quads.count === 0) continue;
      const { colour, pattern } = LOOKS[look];
      const { thin, dense } = fillOf(look);
      const order = ORDER.indexOf(look);
      // No share of the slope: walls inside the ground, seen along their plane, would come through it.
      gl.polygonOffset(0, -4 - 2 * order);
      gl.uniform1f(shell.at("out_by"), 0.02 + 0.003 * order);
      gl.uniform3f(shell.at("colour"), ...channels(colour));
      gl.uniform1i(shell.at("pattern"), PATTERNS.indexOf(pattern));
      gl.uniform1f(shell.at("thin"), thin);
      gl.uniform1f(shell.at("dense"), dense);
      // First only how far away, then the colours of what is nearest: a set that is not convex does not shine through itself.
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
      for (const [when, share] of [[gl.GREATER, 0.45], [gl.LEQUAL, 1]] as const) {
        gl.depthFunc(when);
        for (const [width, colour] of [[wide, INK], [wide * 0.45, core]] as const) {
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
    for (const { quads } of [...this.chunks.values(), ...this.shells.values()]) this.gpu?.drop(quads);
    this.chunks.clear();
    this.shells.clear();
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

  /** Whatever the mesh of a chunk hangs on; of the cut only what touches it, so that moving it makes few meshes anew. */
  private stateOf(chunk: Chunk): string {
    const { low, high } = this.shown.box;
    let state = `${chunk.version} ${this.shownVersion}`;
    for (let axis = 0; axis < 3; axis++) {
      const start = (chunk.at[axis as 0] as number) * CHUNK;
      state += ` ${Math.min(Math.max(low[axis as 0] - start, -1), CHUNK)} ${Math.min(Math.max(high[axis as 0] - start, -1), CHUNK)}`;
    }
    return state;
  }

  private meshShells(gpu: Gpu): void {
    const { box } = this.shown;
    const shown = `${this.shownVersion} ${box.low.join()} ${box.high.join()}`;
    const names = new Set<string>();
    for (const layer of this.allLayers()) {
      names.add(layer.name);
      const key = `${layer.version} ${shown}`;
      const made = this.shells.get(layer.name);
      if (made?.key === key) continue;
      this.shells.set(layer.name, { quads: gpu.upload(shellOf(this.grid.size, layer.cells, this.shown), made?.quads), key });
    }
    for (const [name, { quads }] of this.shells) {
      if (names.has(name)) continue;
      gpu.drop(quads);
      this.shells.delete(name);
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
    // Without this the browser would not give it back.
    event.preventDefault();
    this.gpu = null;
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.onBroken("context_lost"), PATIENCE_MS);
  };

  private readonly onRestored = (): void => {
    clearTimeout(this.patience);
    this.gpu = new Gpu(this.gl);
    this.chunks.clear();
    this.shells.clear();
    this.lines.clear();
    this.bodies = null;
    this.areFiguresNew = true;
    this.ask();
  };
}

const INK = [0.05, 0.06, 0.09] as const;

/** Colours by id; the last one is for ids that the table lacks. */
const PALETTE = new Float32Array(Array.from({ length: Gpu.paletteLength }, (_, id) => channels(material(id).colour)).flat());
