/** Places boxes in rows from top to bottom, and the lines between them. @dagrejs/dagre does the layout. */

import { Graph, layout } from "@dagrejs/dagre";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A line from one box to another, by their numbers. Links must not form a cycle. */
export interface Link {
  readonly from: number;
  readonly to: number;
}

export interface Place {
  readonly left: number;
  readonly top: number;
}

export interface Layered extends Size {
  /** The places of the boxes, in their order. */
  readonly places: readonly Place[];
  /** The `d` attributes of the lines as SVG paths, in the order of the links. */
  readonly paths: readonly string[];
}

const SETTINGS = {
  nodesep: 16,
  edgesep: 16,
  ranksep: 38,
  rankalign: "top",
  marginx: 16,
  marginy: 16,
  // Every edge leads to the next row, so this quick ranker finds the same rows as the others.
  ranker: "tight-tree",
} as const;

/**
 * The layout in px. The boxes below one box keep the order of its links. Lines to the same box share one way past the
 * rows between.
 */
export function layered(boxes: readonly Size[], links: readonly Link[]): Layered {
  const graph = new Graph();
  graph.setGraph({ ...SETTINGS });
  graph.setDefaultEdgeLabel(() => ({}));
  const depths = depthsOf(boxes.length, links);
  boxes.forEach(({ width, height }, number) => graph.setNode(String(number), { width, height }));
  const ways = links.map(({ from, to }) => {
    const passed = Array.from({ length: depths[to]! - depths[from]! - 1 }, (_, n) => `${to}/${depths[from]! + 1 + n}`);
    for (const name of passed) if (!graph.hasNode(name)) graph.setNode(name, { width: 0, height: 0 });
    graph.setPath([String(from), ...passed, String(to)]);
    return passed;
  });
  // The other heuristic reverses the answers of a question where that saves a crossing.
  layout(graph, { disableOptimalOrderHeuristic: true });

  const at = (name: string): Point => graph.node(name) as Point;
  const places = boxes.map(({ width, height }, number) => {
    const { x, y } = at(String(number));
    return { left: Math.round(x - width / 2), top: Math.round(y - height / 2) };
  });
  const bottoms: number[] = [];
  const tops: number[] = [];
  places.forEach(({ top }, number) => {
    const depth = depths[number]!;
    tops[depth] = top;
    bottoms[depth] = Math.max(bottoms[depth] ?? 0, top + boxes[number]!.height);
  });
  const paths = links.map(({ from, to }, number) => {
    let x = middleOf(boxes[from]!, places[from]!);
    let path = `M${x} ${places[from]!.top + boxes[from]!.height}`;
    const stops = [...ways[number]!.map((name) => Math.round(at(name).x)), middleOf(boxes[to]!, places[to]!)];
    stops.forEach((next, rows) => {
      // Straight down to the bottom of the row, then a curve to the top of the next: no line runs through a box.
      const [bottom, top] = [bottoms[depths[from]! + rows]!, tops[depths[from]! + rows + 1]!];
      path += `V${bottom}C${x} ${(bottom + top) / 2} ${next} ${(bottom + top) / 2} ${next} ${top}`;
      x = next;
    });
    return path;
  });
  const { width = 0, height = 0 } = graph.graph() as Partial<Size>;
  return { width: Math.ceil(width), height: Math.ceil(height), places, paths };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function middleOf({ width }: Size, { left }: Place): number {
  return left + width / 2;
}

/** The length of the longest way to each box. */
function depthsOf(count: number, links: readonly Link[]): number[] {
  const above: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of links) above[to]!.push(from);
  const depths: number[] = [];
  const depthOf = (box: number): number => (depths[box] ??= Math.max(-1, ...above[box]!.map(depthOf)) + 1);
  return above.map((_, box) => depthOf(box));
}
