/** The current world: the log's blocks, and over them the changes of this worker that the log does not have yet. */

import { AIR, cellOf, contains, indexOf, type Cell, type Pose, type Scene } from "../../world/frame";
import { Grid } from "../../world/grid";
import type { Event, Message } from "./connection/wire";

export interface WorldEvents {
  block(x: number, y: number, z: number, id: number): void;
  agent(pose: Pose): void;
}

export class WorldNow {
  private readonly grid: Grid;
  /** By flat index: the worker's changes that are not in the log yet. */
  private readonly guesses = new Map<number, number>();
  private agent: Pose | null;
  private listener: WorldEvents | null = null;
  /** The worker's last pose in the log. */
  player: Pose | null;

  constructor(scene: Scene) {
    this.grid = Grid.of(scene);
    this.agent = scene.agent;
    this.player = scene.player;
  }

  /** Sets the listener for changes; null removes it. */
  listen(listener: WorldEvents | null): void {
    this.listener = listener;
  }

  get(x: number, y: number, z: number): number {
    if (!contains(this.grid.size, x, y, z)) return AIR;
    return this.guesses.get(indexOf(this.grid.size, x, y, z)) ?? this.grid.get(x, y, z);
  }

  /** The whole world as a scene. */
  scene(): Scene {
    const { size } = this.grid;
    const blocks: (readonly [number, number, number, number])[] = [];
    for (let index = 0; index < size[0] * size[1] * size[2]; index += 1) {
      const [x, y, z] = cellOf(size, index);
      const id = this.get(x, y, z);
      if (id !== AIR) blocks.push([x, y, z, id]);
    }
    return { size, blocks, agent: this.agent, player: this.player };
  }

  sent(message: Message): void {
    if (message.type === "place") this.guess(message.body.at, message.body.block);
    if (message.type === "destroy") this.guess(message.body.at, AIR);
  }

  refused(message: Message): void {
    if (message.type === "place" || message.type === "destroy") this.forget(message.body.at);
  }

  apply(event: Event): void {
    switch (event.type) {
      case "place":
        return this.settle(event.body.at, event.body.block);
      case "destroy":
        return this.settle(event.body.at, AIR);
      case "blocks":
        for (const [x, y, z, id] of event.body.changes) this.set([x, y, z], id);
        return;
      case "pose":
        if (event.from === "agent") {
          this.agent = event.body;
          this.listener?.agent(event.body);
        } else {
          this.player = event.body;
        }
    }
  }

  private guess(at: Cell, id: number): void {
    if (!contains(this.grid.size, ...at)) return;
    this.guesses.set(indexOf(this.grid.size, ...at), id);
    this.notify(at);
  }

  private forget(at: Cell): void {
    if (this.guesses.delete(indexOf(this.grid.size, ...at))) this.notify(at);
  }

  /** The log has a change of the worker. A later change of the same cell stays visible. */
  private settle(at: Cell, id: number): void {
    const index = indexOf(this.grid.size, ...at);
    if (this.guesses.get(index) === id) this.guesses.delete(index);
    this.set(at, id);
  }

  private set(at: Cell, id: number): void {
    if (!contains(this.grid.size, ...at)) return;
    this.grid.set(...at, id);
    this.notify(at);
  }

  private notify([x, y, z]: Cell): void {
    this.listener?.block(x, y, z, this.get(x, y, z));
  }
}
