import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { openWalk, type Walk } from "../../../../src/tools/interaction/walking";
import type { Box, Cell, Pose, Scene } from "../../../../src/world/frame";
import { stubFrames } from "../../../make";
import { Stage, type Figures, type Pane, type View } from "../../../../src/world/stage";
import { rows } from "../../../make";

/** Draws nothing, and remembers what it was told. */
class Told extends Stage {
  figuresNow: Figures | null = null;
  views: (readonly View[])[] = [];
  breaks: () => void = () => {};
  protected override draw(views: readonly View[]): boolean {
    this.views.push(views);
    this.figuresNow = this.figures;
    return true;
  }
  protected override recolour(): void {}
  get cursorNow(): Cell | null {
    return this.cursorAt?.cell ?? null;
  }
  get outlinedNow(): Box | null {
    return this.outlined;
  }
  layersNow(): string[] {
    return [...this.allLayers()].map(({ name }) => name);
  }
}

vi.mock("../../../../src/world/create", () => ({
  createWorld: (canvas: HTMLCanvasElement, panes: readonly Pane[], onBroken: () => void) => {
    told = new Told(canvas, panes);
    told.breaks = onBroken;
    return told;
  },
}));

class Element extends EventTarget {
  readonly dataset: Record<string, string> = {};
  readonly style = {};
  readonly classList = { add: () => {} };
  tabIndex = -1;
  isFocused = false;
  afterIt: Element | null = null;
  getBoundingClientRect = () => ({ left: 0, top: 0, width: 200, height: 100 });
  hasAttribute = (): boolean => false;
  setAttribute = (): void => {};
  setPointerCapture = (): void => {};
  append = (): void => {};
  after = (one: Element): void => void (this.afterIt = one);
  remove = (): void => void (canvas.afterIt = null);
  focus = (): void => void (this.isFocused = true);
}

let told: Told;
let canvas: Element;
let pane: Element;
let walk: Walk;
let heard: [string, ...unknown[]][];
let frames: ReturnType<typeof stubFrames>;
let clock = 0;
let isCalm = false;

const ground: Scene["blocks"] = Array.from({ length: 16 * 16 }, (_, at) => [at >> 4, 0, at & 15, 8] as const);
const scene: Scene = {
  size: [16, 8, 16],
  blocks: [...ground, [8, 1, 12, 4], [8, 2, 12, 4]],
  agent: { x: 3, y: 1, z: 3, pitch: 0, yaw: 0 },
  player: { x: 8, y: 1, z: 8, pitch: 0, yaw: 0 },
};

/** So many frames of a sixtieth of a second, while any is asked for; how many were. */
async function frame(most = 1): Promise<number> {
  let drawn = 0;
  for (; drawn < most && frames.waiting() > 0; drawn++) {
    clock += 1000 / 60;
    frames.draw(clock);
    await Promise.resolve();
  }
  return drawn;
}

async function opened(at: Pose = { x: 8, y: 1, z: 8, pitch: 0, yaw: 0 }): Promise<void> {
  const says =
    (name: string) =>
    (...what: unknown[]) =>
      void heard.push([name, ...what]);
  walk = openWalk(canvas as unknown as HTMLCanvasElement, pane as unknown as HTMLElement, scene, at, {
    moved: says("moved"),
    place: says("place"),
    destroy: says("destroy"),
    missed: says("missed"),
    broken: says("broken"),
  });
  await frame(10);
}

const key = (name: string, code: string): void =>
  void pane.dispatchEvent(Object.assign(new Event(name, { cancelable: true }), { code }));

beforeEach(() => {
  [heard, frames, isCalm] = [[], stubFrames(), false];
  [canvas, pane] = [new Element(), new Element()];
  vi.stubGlobal("matchMedia", (query: string) =>
    Object.assign(new EventTarget(), { matches: query.includes("reduced-motion") && isCalm }),
  );
  vi.stubGlobal("window", Object.assign(new EventTarget(), { devicePixelRatio: 1 }));
  vi.stubGlobal(
    "document",
    Object.assign(new EventTarget(), { createElementNS: () => new Element(), pointerLockElement: null }),
  );
});
afterEach(() => {
  walk.destroy();
  vi.unstubAllGlobals();
});

test("the world is ready once it is painted, with the agent in it but not the worker's own figure", async () => {
  await opened();
  expect(pane.dataset["ready"]).toBe("1");
  expect(told.figuresNow).toEqual({ agent: scene.agent, player: null });
  expect(told.camera).toMatchObject({ target: [8.5, 2.6, 8.5], yaw: 0, pitch: 0, distance: 0 });
  expect(canvas.afterIt).not.toBeNull();
  expect(heard).toEqual([]);
});

test("while nothing moves no frame is asked for", async () => {
  await opened();
  expect(frames.waiting()).toBe(0);
});

test("a key that is held walks, and tells each place once; let go, it all comes to rest", async () => {
  await opened();
  key("keydown", "KeyW");
  await frame(30);
  key("keyup", "KeyW");
  await frame(100);
  expect(frames.waiting()).toBe(0);
  const poses = heard.map(([name, pose]) => (name === "moved" ? (pose as Pose) : null));
  expect(poses.length).toBeGreaterThan(20);
  expect(
    poses.every((pose, index) => pose && pose.x === 8 && (index === 0 || pose.z > (poses[index - 1]?.z ?? 0))),
  ).toBe(true);
  expect(walk.pose).toEqual(poses.at(-1));
  expect(told.camera.target[2]).toBeCloseTo(walk.pose.z + 0.5, 2);
});

test("a button on the screen is held like a key, until the focus goes", async () => {
  await opened();
  walk.press("turn_left", true);
  await frame(10);
  const turned = walk.pose.yaw;
  expect(turned).toBeGreaterThan(5);
  pane.dispatchEvent(new Event("blur"));
  await frame(100);
  expect(frames.waiting()).toBe(0);
  walk.press("up", true);
  walk.press("up", false);
  await frame(100);
  expect(walk.pose).toMatchObject({ y: 1, yaw: turned });
});

test("where motion is unwelcome a turn is there at once", async () => {
  isCalm = true;
  await opened();
  key("keydown", "ArrowLeft");
  expect(walk.pose.yaw).toBe(15);
  await frame(60);
  expect(walk.pose.yaw).toBe(15);
  walk.press("look_down", true);
  expect(walk.pose.pitch).toBe(-15);
  await frame(2);
  expect(heard.at(-1)).toEqual(["moved", walk.pose]);
  expect(frames.waiting()).toBe(0);
});

describe("at what the eyes rest on", () => {
  it("it is outlined, and a block is laid or taken away when asked, once a press", async () => {
    await opened();
    expect(told.cursorNow).toEqual([8, 2, 12]);
    walk.setBlockInHand(35);
    key("keydown", "KeyE");
    pane.dispatchEvent(Object.assign(new Event("keydown"), { code: "KeyE", repeat: true }));
    walk.press("destroy", true);
    expect(heard).toEqual([
      ["place", [8, 2, 11], 35],
      ["destroy", [8, 2, 12]],
    ]);
  });

  it("nothing has changed until it is said, and then the eyes rest on something else", async () => {
    await opened();
    walk.press("destroy", true);
    await frame(5);
    expect(told.cursorNow).toEqual([8, 2, 12]);
    walk.setBlock(8, 2, 12, 0);
    await frame(5);
    expect(told.cursorNow).toBeNull();
    walk.press("destroy", true);
    walk.press("place", true);
    // That nothing is near enough is said; a press that comes to nothing is no riddle.
    expect(heard).toEqual([
      ["destroy", [8, 2, 12]],
      ["missed", "far"],
      ["missed", "far"],
    ]);
  });

  it("nothing is laid where the agent stands", async () => {
    await opened();
    walk.setAgent({ x: 8, y: 1, z: 11, pitch: 0, yaw: 0 });
    walk.press("place", true);
    expect(heard).toEqual([["missed", "no_room"]]);
    await frame();
    expect(told.figuresNow?.agent).toMatchObject({ z: 11 });
    walk.setAgent(null);
    walk.press("place", true);
    expect(heard.slice(1)).toEqual([["place", [8, 2, 11], 1]]);
  });
});

test("blocks that come together cost one frame, which draws what has changed; those outside of the world none", async () => {
  await opened();
  const before = told.views.length;
  for (let x = 2; x < 6; x++) walk.setBlock(x, 1, 14, 5);
  walk.setBlock(99, 1, 1, 5);
  await Promise.resolve();
  await frame(10);
  expect(told.views.length - before).toBe(1);
  expect(told.views.at(-1)?.[0]?.changed).toEqual([2, 3, 4, 5].map((x) => ({ low: [x, 1, 14], high: [x, 1, 14] })));
  walk.setBlock(99, 1, 1, 5);
  walk.setBlock(2, 1, 14, 5);
  await Promise.resolve();
  expect(frames.waiting()).toBe(0);
});

test("a block that was built stands in the way", async () => {
  await opened();
  for (const y of [1, 2]) walk.setBlock(8, y, 10, 5);
  key("keydown", "KeyW");
  await frame(120);
  expect(walk.pose.z).toBeCloseTo(9.2, 2);
});

test("what is asked about is painted, blocks and air apart; what is pointed at is framed", async () => {
  await opened();
  walk.mark(rows("8,1,12 9,1,12 99,0,0"));
  expect(told.layersNow()).toEqual(["marked", "marked-air"]);
  walk.mark([]);
  expect(told.layersNow()).toEqual([]);
  const box: Box = { low: [1, 1, 1], high: [2, 2, 2] };
  walk.flash(box);
  expect([told.outlinedNow, told.layersNow()]).toEqual([box, ["flash"]]);
  walk.flash(null);
  expect([told.outlinedNow, told.layersNow()]).toEqual([null, []]);
});

test("a start outside of the world is moved into it, and the new pose is reported", async () => {
  await opened({ x: 40, y: 1, z: 8, pitch: 0, yaw: 0 });
  expect(heard).toEqual([["moved", walk.pose]]);
  expect(walk.pose.x).toBe(15.2);
});

test("it takes the focus, passes on what broke, and leaves nothing behind", async () => {
  await opened();
  walk.focus();
  expect([pane.isFocused, pane.tabIndex]).toEqual([true, 0]);
  told.breaks();
  expect(heard).toEqual([["broken"]]);
  key("keydown", "KeyW");
  walk.setBlock(3, 3, 3, 3);
  walk.destroy();
  await Promise.resolve();
  expect(frames.waiting()).toBe(0);
  expect([pane.dataset, canvas.afterIt]).toEqual([{}, null]);
});
