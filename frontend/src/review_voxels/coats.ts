/** What is painted over the scene, by what is looked at. Pure. */

import type { Look } from "../world/looks";
import { compare, type Layer, type Masks } from "./layers";
import type { Looking } from "./state";

export interface Coat {
  look: Look;
  words: string;
  cells: readonly number[];
}

export interface Shown {
  coats: readonly Coat[];
  /** One sentence, also for who does not see the picture. */
  summary: string;
}

const STEP_LOOKS: readonly Look[] = ["share-1", "share-2", "share-3", "share-4", "share-5"];
const NONE: Layer = { id: "", name: "nothing", mask: new Set() };

export function layerOf(masks: Masks, id: string): Layer {
  return masks.layers.find((layer) => layer.id === id) ?? NONE;
}

export function shown(masks: Masks, looking: Looking, isAir: (cell: number) => boolean): Shown {
  switch (looking.view) {
    case "shares":
      return shares(masks);
    case "pair":
      return pair(layerOf(masks, looking.a), layerOf(masks, looking.b));
    case "one":
      return one(layerOf(masks, looking.one), isAir);
  }
}

function shares({ steps }: Masks): Shown {
  const coats = steps.map(({ above, up_to, mask }, place) => ({
    look: STEP_LOOKS[place] ?? "share-5",
    words: above === 0 ? `up to ${up_to} %` : `${above}–${up_to} %`,
    cells: [...mask],
  }));
  const total = coats.reduce((sum, { cells }) => sum + cells.length, 0);
  // The surest first, as one reads.
  return { coats: coats.reverse(), summary: `${countWords(total)} marked by anybody, by how much of the weight stands behind each.` };
}

function pair(a: Layer, b: Layer): Shown {
  const { onlyA, onlyB, both, iou } = compare(a.mask, b.mask);
  return {
    coats: [
      { look: "both", words: "in both", cells: both },
      { look: "only-a", words: `only A: ${a.name}`, cells: onlyA },
      { look: "only-b", words: `only B: ${b.name}`, cells: onlyB },
    ],
    summary: `IoU ${percent(iou)}: ${both.length.toLocaleString("en")} in both, ${onlyA.length.toLocaleString("en")} only in A, ${onlyB.length.toLocaleString("en")} only in B.`,
  };
}

function one({ name, mask }: Layer, isAir: (cell: number) => boolean): Shown {
  const air = [...mask].filter(isAir);
  const blocks = [...mask].filter((cell) => !isAir(cell));
  return {
    coats: [
      { look: "marked", words: "blocks", cells: blocks },
      { look: "marked-air", words: "air", cells: air },
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
