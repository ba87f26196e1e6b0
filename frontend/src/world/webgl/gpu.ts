/** Programs and buffers on the graphics card. They are created again after a lost context. */

import { QUAD } from "../mesh";
import { MATERIALS } from "../palette";
import * as shaders from "./shaders";

export interface Program {
  program: WebGLProgram;
  at: (name: string) => WebGLUniformLocation | null;
}

/** A vertex array that is ready to be drawn, with its number of corners or lines. */
export interface Buffered {
  array: WebGLVertexArrayObject;
  buffer: WebGLBuffer;
  count: number;
}

const PALETTE = Math.max(...MATERIALS.map(({ id }) => id)) + 2;

let isSoft: boolean | undefined;

/** Whether WebGL runs on the processor: then antialiasing costs more than everything else. Asked once for each page. */
export function isSoftware(): boolean {
  if (isSoft === undefined) {
    const gl = document.createElement("canvas").getContext("webgl2");
    let name = String(gl?.getParameter(gl.RENDERER) ?? "");
    // Some browsers give the name here and warn about the extension; others give it only through the extension.
    const names = /webkit/i.test(name) ? gl?.getExtension("WEBGL_debug_renderer_info") : null;
    if (gl && names) name = String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL));
    gl?.getExtension("WEBGL_lose_context")?.loseContext();
    isSoft = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
  }
  return isSoft;
}

export class Gpu {
  readonly gl: WebGL2RenderingContext;
  readonly block: Program;
  readonly layer: Program;
  readonly figure: Program;
  readonly line: Program;
  private readonly indices: WebGLBuffer;
  private indexed = 0;

  constructor(gl: WebGL2RenderingContext) {
    this.gl = gl;
    this.block = this.program(shaders.BLOCK_VERTEX.replaceAll("PALETTE", String(PALETTE)), shaders.BLOCK_FRAGMENT);
    this.layer = this.program(shaders.LAYER_VERTEX, shaders.LAYER_FRAGMENT);
    this.figure = this.program(shaders.FIGURE_VERTEX, shaders.FIGURE_FRAGMENT);
    this.line = this.program(shaders.LINE_VERTEX, shaders.LINE_FRAGMENT);
    this.indices = gl.createBuffer();
  }

  static get paletteLength(): number {
    return PALETTE;
  }

  /** Four corners of four numbers for each rectangle (`meshOf`, `facesOf`); reuses the given buffer. */
  upload(corners: Uint16Array<ArrayBuffer>, into?: Buffered): Buffered {
    const { gl } = this;
    const quads = into ?? { array: gl.createVertexArray(), buffer: gl.createBuffer(), count: 0 };
    const number = corners.length / 16;
    gl.bindVertexArray(quads.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, quads.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, corners, gl.DYNAMIC_DRAW);
    if (!into) {
      gl.enableVertexAttribArray(0);
      gl.vertexAttribIPointer(0, 4, gl.UNSIGNED_SHORT, 0, 0);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indices);
    this.index(number);
    gl.bindVertexArray(null);
    quads.count = number * 6;
    return quads;
  }

  drop(one: Buffered): void {
    this.gl.deleteVertexArray(one.array);
    this.gl.deleteBuffer(one.buffer);
  }

  free(): void {
    for (const { program } of [this.block, this.layer, this.figure, this.line]) this.gl.deleteProgram(program);
    this.gl.deleteBuffer(this.indices);
  }

  drawQuads(quads: Buffered): void {
    this.gl.bindVertexArray(quads.array);
    this.gl.drawElements(this.gl.TRIANGLES, quads.count, this.gl.UNSIGNED_INT, 0);
  }

  /** A buffer of floats with attributes of the given widths; one row for each instance if `isInstanced`. */
  floats(widths: readonly number[], isInstanced: boolean): Buffered {
    const { gl } = this;
    const array = gl.createVertexArray();
    const buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    const stride = 4 * widths.reduce((sum, one) => sum + one, 0);
    let offset = 0;
    for (const [place, width] of widths.entries()) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, width, gl.FLOAT, false, stride, offset);
      if (isInstanced) gl.vertexAttribDivisor(place, 1);
      offset += 4 * width;
    }
    gl.bindVertexArray(null);
    return { array, buffer, count: 0 };
  }

  /** One index buffer serves all rectangles; it grows to the largest need. */
  private index(quads: number): void {
    if (quads <= this.indexed) return;
    const most = Math.max(quads, 2 * this.indexed, 4096);
    const indices = new Uint32Array(most * 6);
    for (let quad = 0; quad < most; quad++)
      for (let one = 0; one < 6; one++) indices[quad * 6 + one] = quad * 4 + (QUAD[one] as number);
    this.gl.bufferData(this.gl.ELEMENT_ARRAY_BUFFER, indices, this.gl.STATIC_DRAW);
    this.indexed = most;
  }

  private program(vertex: string, fragment: string): Program {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, source] of [
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ] as const) {
      const shader = gl.createShader(kind);
      // Null once the context is lost; the next context tries again.
      if (!shader) continue;
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      gl.deleteShader(shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(`The program does not link: ${gl.getProgramInfoLog(program)}`);
    const places = new Map<string, WebGLUniformLocation | null>();
    const at = (name: string): WebGLUniformLocation | null => {
      let place = places.get(name);
      if (place === undefined) places.set(name, (place = gl.getUniformLocation(program, name)));
      return place;
    };
    return { program, at };
  }
}
