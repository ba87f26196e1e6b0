/** The layers that are painted over the scene for each view. Pure. */

import type { PaintStyle } from "../../world/patterns";
import { compare, type Layer, type Masks } from "./layers";
import type { SceneView } from "./state";

export interface ShownLayer {
  style: PaintStyle;
  words: string;
  cells: readonly number[];
}

export interface ShownLayers {
  layers: readonly ShownLayer[];
  /** One sentence, also for screen readers. */
  summary: string;
}

const STEP_STYLES: readonly PaintStyle[] = ["share-1", "share-2", "share-3", "share-4", "share-5"];
const NONE: Layer = { id: "", name: "nothing", mask: new Set() };

export function layerOf(masks: Masks, id: string): Layer {
  return masks.layers.find((layer) => layer.id === id) ?? NONE;
}

export function layersShown(masks: Masks, sceneView: SceneView, isAir: (cell: number) => boolean): ShownLayers {
  switch (sceneView.view) {
    case "shares":
      return shares(masks);
    case "pair":
      return pair(layerOf(masks, sceneView.a), layerOf(masks, sceneView.b));
    case "one":
      return one(layerOf(masks, sceneView.one), isAir);
  }
}

function shares({ steps }: Masks): ShownLayers {
  const layers = steps.map(({ above, up_to, mask }, place) => ({
    style: STEP_STYLES[place] ?? "share-5",
    words: above === 0 ? `up to ${up_to} %` : `${above}–${up_to} %`,
    cells: [...mask],
  }));
  const total = layers.reduce((sum, { cells }) => sum + cells.length, 0);
  // The highest share first.
  return {
    layers: layers.reverse(),
    summary: `${countWords(total)} marked by anybody, by how much of the weight stands behind each.`,
  };
}

function pair(a: Layer, b: Layer): ShownLayers {
  const { onlyA, onlyB, both, iou } = compare(a.mask, b.mask);
  return {
    layers: [
      { style: "both", words: "in both", cells: both },
      { style: "only-a", words: `only A: ${a.name}`, cells: onlyA },
      { style: "only-b", words: `only B: ${b.name}`, cells: onlyB },
    ],
    summary: `IoU ${percent(iou)}: ${both.length.toLocaleString("en")} in both, ${onlyA.length.toLocaleString("en")} only in A, ${onlyB.length.toLocaleString("en")} only in B.`,
  };
}

function one({ name, mask }: Layer, isAir: (cell: number) => boolean): ShownLayers {
  const air = [...mask].filter(isAir);
  const blocks = [...mask].filter((cell) => !isAir(cell));
  return {
    layers: [
      { style: "marked", words: "blocks", cells: blocks },
      { style: "marked-air", words: "air", cells: air },
    ],
    summary: mask.size === 0 ? `${name}: it is not there.` : `${name}: ${countWords(mask.size)}.`,
  };
}

export function countWords(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "voxel" : "voxels"}`;
}

/** `75 %`. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
