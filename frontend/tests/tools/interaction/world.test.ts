import { expect, test } from "vitest";
import { WorldNow } from "../../../src/tools/interaction/world";
import type { Message } from "../../../src/tools/interaction/connection/wire";
import { agent, eventOf, WORLD, worker, type Line } from "./make";

const RED = 60;
const place: Message = { type: "place", body: { at: [2, 1, 2], block: RED } };
const destroy: Message = { type: "destroy", body: { at: [2, 1, 2] } };

function drawn(): { world: WorldNow; blocks: number[][]; hear: (...lines: Line[]) => void } {
  const world = new WorldNow(WORLD);
  const blocks: number[][] = [];
  world.listen({ block: (...one) => void blocks.push(one), agent: () => {} });
  return { world, blocks, hear: (...lines) => lines.forEach((line, index) => world.apply(eventOf(line, index + 1))) };
}

test("what the worker places is there at once, and stays when the log has it", () => {
  const { world, blocks, hear } = drawn();
  world.sent(place);
  expect(world.get(2, 1, 2)).toBe(RED);
  hear(worker("place", place.body as never));
  expect(world.get(2, 1, 2)).toBe(RED);
  expect(blocks.every(([, , , id]) => id === RED)).toBe(true);
});

test("what was refused is as it was", () => {
  const { world, blocks } = drawn();
  world.sent(place);
  world.refused(place);
  expect(world.get(2, 1, 2)).toBe(0);
  expect(blocks.at(-1)).toEqual([2, 1, 2, 0]);
});

test("placed and taken away again, it does not come back for a moment when the log follows", () => {
  const { world, blocks, hear } = drawn();
  world.sent(place);
  world.sent(destroy);
  hear(worker("place", place.body as never));
  expect(blocks.at(-1)).toEqual([2, 1, 2, 0]);
  hear(worker("destroy", destroy.body as never));
  expect(world.get(2, 1, 2)).toBe(0);
});

test("the assistant's blocks and steps are in the scene that a new picture opens", () => {
  const { world, hear } = drawn();
  hear(
    agent("blocks", {
      changes: [
        [3, 1, 3, RED],
        [0, 0, 0, 0],
      ],
    }),
    agent("pose", { x: 2, y: 1, z: 2, pitch: 0, yaw: 90 }),
    worker("pose", { x: 7, y: 1, z: 7, pitch: 0, yaw: 0 }),
  );
  const scene = world.scene();
  expect(scene.blocks).toContainEqual([3, 1, 3, RED]);
  expect(scene.blocks).not.toContainEqual([0, 0, 0, 8]);
  expect(scene.blocks).toHaveLength(64);
  expect([scene.agent?.x, scene.player?.x]).toEqual([2, 7]);
});

test("what lies outside of the world is passed over", () => {
  const { world, hear } = drawn();
  hear(agent("blocks", { changes: [[99, 1, 3, RED]] }));
  world.sent({ type: "place", body: { at: [-1, 0, 0], block: RED } });
  expect(world.get(99, 1, 3)).toBe(0);
});
