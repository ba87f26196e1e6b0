/** Draws one face of a cell on a 2D canvas: filled, with edges and, if painted, with its pattern. */

import type { Cell } from "./frame";
import type { Pattern } from "./patterns";
import { axesOf, ON } from "./faces";
import type { Stroke } from "./strokes";

export interface Tile {
  cell: Cell;
  face: number;
  fill: string;
  line: string;
  /** For a painted face: its pattern, and how the set continues across its sides (`facesOf`). */
  paint?: { pattern: Pattern; sides: number };
}

type Place = readonly [x: number, y: number];

/** Converts points of the scene to the pane; null behind the camera. */
export type Placing = (point: Cell) => Place | null;

const INK = "#0d0f17";
const LIGHT = "#ffffff";

/** The corners of a face in turn, as shares of its two axes, and the two corners of each of its four sides. */
const ROUND = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
] as const;
const SIDES = [
  [0, 3],
  [1, 2],
  [0, 1],
  [3, 2],
] as const;

export function drawTile(
  context: CanvasRenderingContext2D,
  { cell, face, fill, line, paint }: Tile,
  toPage: Placing,
  isFar: boolean,
): void {
  const [first, second] = axesOf(face);
  const corners: Place[] = [];
  for (const [u, v] of ROUND) {
    const point: [number, number, number] = [...cell];
    point[face >> 1] = (point[face >> 1] as number) + (face & 1 ? 0 : 1);
    point[first] = (point[first] as number) + u;
    point[second] = (point[second] as number) + v;
    const place = toPage(point);
    if (!place) return;
    corners.push(place);
  }
  shape(context, corners);
  context.fillStyle = fill;
  context.fill();
  if (isFar) return;
  context.lineWidth = 1;
  context.strokeStyle = line;
  context.stroke();
  if (paint) drawPaint(context, corners, line, paint);
}

/** Lines with a dark rim. */
export function drawStrokes(
  context: CanvasRenderingContext2D,
  strokes: readonly Stroke[],
  toPage: Placing,
  width: number,
): void {
  const lines = strokes.map(([from, to]) => [toPage(from), toPage(to)] as const);
  twoTone(
    context,
    lines.filter((line): line is readonly [Place, Place] => line[0] !== null && line[1] !== null),
    width,
  );
}

function drawPaint(
  context: CanvasRenderingContext2D,
  corners: readonly Place[],
  colour: string,
  { pattern, sides }: { pattern: Pattern; sides: number },
): void {
  const at = (u: number, v: number): Place => {
    const [a, b, c, d] = corners as [Place, Place, Place, Place];
    const mix = (axis: 0 | 1): number =>
      (a[axis] * (1 - u) + b[axis] * u) * (1 - v) + (d[axis] * (1 - u) + c[axis] * u) * v;
    return [mix(0), mix(1)];
  };
  context.fillStyle = colour;
  context.lineWidth = 2;
  if (pattern === "stripes")
    lines(context, [
      [at(0, 0.5), at(0.5, 0)],
      [at(0, 1), at(1, 0)],
      [at(0.5, 1), at(1, 0.5)],
    ]);
  if (pattern === "grid")
    lines(context, [
      [at(0.5, 0), at(0.5, 1)],
      [at(0, 0.5), at(1, 0.5)],
    ]);
  const parts =
    pattern === "checks"
      ? [
          [0, 0, 0.5],
          [0.5, 0.5, 0.5],
        ]
      : pattern === "dots"
        ? [
            [0.15, 0.15, 0.25],
            [0.6, 0.15, 0.25],
            [0.15, 0.6, 0.25],
            [0.6, 0.6, 0.25],
          ]
        : [];
  for (const [u, v, side] of parts as [number, number, number][]) {
    shape(context, [at(u, v), at(u + side, v), at(u + side, v + side), at(u, v + side)]);
    context.fill();
  }
  const ends = SIDES.filter((_, side) => ((sides >> (2 * side)) & 3) !== ON);
  twoTone(
    context,
    ends.map(([a, b]) => [corners[a] as Place, corners[b] as Place] as const),
    3.5,
  );
}

function twoTone(
  context: CanvasRenderingContext2D,
  strokes: readonly (readonly [Place, Place])[],
  width: number,
): void {
  for (const [wide, colour] of [
    [width, INK],
    [width * 0.45, LIGHT],
  ] as const) {
    context.lineWidth = wide;
    context.strokeStyle = colour;
    lines(context, strokes);
  }
}

function lines(context: CanvasRenderingContext2D, strokes: readonly (readonly [Place, Place])[]): void {
  context.beginPath();
  for (const [from, to] of strokes) {
    context.moveTo(...from);
    context.lineTo(...to);
  }
  context.stroke();
}

function shape(context: CanvasRenderingContext2D, corners: readonly Place[]): void {
  context.beginPath();
  for (const corner of corners) context.lineTo(...corner);
  context.closePath();
}
