import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { framing, orbit } from "../../src/world/camera";
import { indexOf, type Cell } from "../../src/world/frame";
import { Grid } from "../../src/world/grid";
import { Stage, type Layer, type Pane, type View } from "../../src/world/stage";
import { stubFrames } from "../make";
import { filled } from "./make";
import { rows } from "../make";

const SIZE: Cell = [8, 8, 8];
const NOBODY = { agent: null, player: null };

/** Draws nothing, and says what it was asked to draw. */
class Told extends Stage {
  readonly told: (readonly View[])[] = [];
  protected override draw(views: readonly View[]): boolean {
    this.told.push(views);
    return true;
  }
  protected override recolour(): void {}
  seenIn(pane: Pane): string[] {
    return this.layersOf(pane).map((layer: Layer) => layer.name);
  }
}

function element(left: number, top: number, width: number, height: number): HTMLElement {
  return { getBoundingClientRect: () => ({ left, top, width, height }) } as HTMLElement;
}

let frames: ReturnType<typeof stubFrames>;

beforeEach(() => {
  frames = stubFrames();
  vi.stubGlobal("window", { devicePixelRatio: 3 });
});

afterEach(() => vi.unstubAllGlobals());

function stage(grid: Grid = filled(SIZE, [0, 0, 0], [7, 3, 7], 8)): { told: Told; panes: Pane[] } {
  const canvas = Object.assign(element(100, 50, 420, 200), { width: 0, height: 0 }) as unknown as HTMLCanvasElement;
  const panes: Pane[] = [
    { element: element(100, 50, 200, 200), layers: [] },
    { element: element(320, 50, 200, 200), layers: ["mine"] },
  ];
  const told = new Told(canvas, panes);
  told.show(grid, NOBODY);
  // Nearly from above, so that the middle of a block is seen through its own top.
  told.camera = orbit(framing(SIZE), 0, -50);
  return { told, panes };
}

test("however much changes, one frame is drawn, and none when nothing does", () => {
  const { told } = stage();
  told.cursor([1, 1, 1], false);
  told.refresh();
  expect(frames.draw()).toBe(1);
  expect(told.told).toHaveLength(1);
  expect(frames.draw()).toBe(0);
  expect(told.stats.frames).toBe(1);
  frames.resize();
  expect(frames.draw()).toBe(1);
});

test("waiting for the picture ends when it is drawn, or at once if it already is", async () => {
  const { told } = stage();
  let isThere = false;
  const waiting = told.drawn.then(() => (isThere = true));
  await Promise.resolve();
  expect(isThere).toBe(false);
  frames.draw();
  await waiting;
  await told.drawn;
});

test("the panes lie where they are in the page, at most two pixels to one", () => {
  const { told } = stage();
  frames.draw();
  expect(told.told[0]?.map(({ x, y, width, height }) => [x, y, width, height])).toEqual(
    rows("0,0,200,200 220,0,200,200"),
  );
  expect([told.canvas.width, told.canvas.height]).toEqual([840, 400]);
});

test("a pane shows the layers it names, or all, and a layer without cells is gone", () => {
  const { told, panes } = stage();
  told.paint("theirs", "only-b", [1]);
  told.paint("mine", "marked", [2]);
  const all: Pane = { element: (panes[0] as Pane).element, layers: "all" };
  expect(panes.map((pane) => told.seenIn(pane))).toEqual([[], ["mine"]]);
  expect(told.seenIn(all)).toEqual(["theirs", "mine"]);
  told.paint("mine", "marked", []);
  expect(told.seenIn(all)).toEqual(["theirs"]);
});

test("where a cell is seen, it is picked, in its pane", () => {
  const { told } = stage();
  for (const pane of [0, 1]) {
    const place = told.project([3, 3, 1], pane);
    expect(place && told.pick(place.x, place.y)).toMatchObject({ pane, hit: { cell: [3, 3, 1] } });
  }
});

test("beside the panes nothing is picked", () => {
  const { told } = stage();
  expect(told.pick(310, 100)).toBeNull();
  expect(told.pick(101, 51)).toBeNull();
});

test("what is cut away or hidden is not in the way of picking, until it is back", () => {
  const { told } = stage();
  const place = told.project([3, 3, 3], 0) ?? { x: 0, y: 0 };
  const met = (): Cell | undefined => told.pick(place.x, place.y)?.hit.cell;
  expect(met()?.[1]).toBe(3);
  told.cut({ low: [0, 0, 0], high: [7, 1, 7] });
  expect(met()?.[1]).toBe(1);
  told.hide(new Set(Array.from({ length: 64 }, (_, at) => indexOf(SIZE, at >> 3, 1, at & 7))));
  expect(met()?.[1]).toBe(0);
  told.hide(null);
  told.cut({ low: [0, 0, 0], high: [7, 7, 7] });
  expect(met()?.[1]).toBe(3);
});

test("another scene comes whole and unpainted", () => {
  const { told, panes } = stage();
  told.paint("mine", "marked", [2]);
  told.cut({ low: [0, 0, 0], high: [7, 0, 7] });
  told.show(filled(SIZE, [0, 0, 0], [7, 5, 7], 8), NOBODY);
  expect(told.seenIn(panes[1] as Pane)).toEqual([]);
  const place = told.project([3, 5, 1], 0) ?? { x: 0, y: 0 };
  expect(told.pick(place.x, place.y)?.hit.cell).toEqual([3, 5, 1]);
});
