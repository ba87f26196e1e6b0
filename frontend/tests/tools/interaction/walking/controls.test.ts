import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { actionOf, HELD, isHeld, WALK_HELP } from "../../../../src/tools/interaction/walking/actions";
import { listenToKeys } from "../../../../src/tools/interaction/walking/keyboard";
import { listenToMouse } from "../../../../src/tools/interaction/walking/mouse";

class Fake extends EventTarget {
  dataset: Record<string, string> = {};
  pointerLockElement: unknown = null;
  setPointerCapture(): void {}
  exitPointerLock(): void {
    this.pointerLockElement = null;
    this.dispatchEvent(new Event("pointerlockchange"));
  }
}

let page: Fake;
let frame: EventTarget;

beforeEach(() => {
  page = new Fake();
  frame = new EventTarget();
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", frame);
});
afterEach(() => vi.unstubAllGlobals());

const sent = (target: EventTarget, name: string, more: object = {}): Event => {
  const event = Object.assign(new Event(name, { cancelable: true }), more);
  target.dispatchEvent(event);
  return event;
};

describe("keys", () => {
  it("do whatever can be done, so that nobody needs a mouse", () => {
    const codes = "KeyW KeyS KeyA KeyD Space ShiftLeft ArrowLeft ArrowRight ArrowUp ArrowDown KeyE KeyQ";
    expect(codes.split(" ").map(actionOf)).toEqual([...HELD, "place", "destroy"]);
    expect(["Enter", "KeyX", "Tab", "Escape", "KeyC"].map(actionOf)).toEqual(["place", "destroy", null, null, null]);
    expect(WALK_HELP.length).toBeGreaterThan(0);
    expect(isHeld("forward") && !isHeld("place")).toBe(true);
  });

  const listening = (): { pane: Fake; heard: string[]; stop: () => void } => {
    const pane = new Fake();
    const heard: string[] = [];
    const stop = listenToKeys(pane as unknown as HTMLElement, {
      pressed: (action, isRepeat) => heard.push(isRepeat ? `${action} again` : action),
      released: (action) => heard.push(`not ${action}`),
      left: () => heard.push("left"),
    });
    return { pane, heard, stop };
  };

  it("are reported when pressed and released, and do not scroll the page", () => {
    const { pane, heard } = listening();
    expect(sent(pane, "keydown", { code: "Space" }).defaultPrevented).toBe(true);
    sent(pane, "keydown", { code: "Space", repeat: true });
    sent(pane, "keyup", { code: "Space" });
    expect(heard).toEqual(["up", "up again", "not up"]);
  });

  it.each([{ code: "KeyW", ctrlKey: true }, { code: "ArrowLeft", altKey: true }, { code: "Tab" }])(
    "of the browser stay the browser's: %j",
    (press) => {
      const { pane, heard } = listening();
      expect(sent(pane, "keydown", press).defaultPrevented).toBe(false);
      expect(heard).toEqual([]);
    },
  );

  it("are the browser's while Cmd is held, which hides that others are let go", () => {
    const { pane, heard } = listening();
    sent(pane, "keydown", { code: "KeyW" });
    expect(sent(pane, "keydown", { code: "KeyQ", metaKey: true }).defaultPrevented).toBe(false);
    expect(heard).toEqual(["forward", "left"]);
  });

  it("of a button within the pane stay the button's", () => {
    const { pane, heard } = listening();
    const event = Object.defineProperty(new Event("keydown"), "target", { value: new Fake() });
    pane.dispatchEvent(Object.assign(event, { code: "Enter" }));
    expect(heard).toEqual([]);
  });

  it("are let go when the focus or the window goes", () => {
    const { pane, heard, stop } = listening();
    sent(pane, "blur");
    sent(frame, "blur");
    expect(heard).toEqual(["left", "left"]);
    stop();
    sent(frame, "blur");
    sent(pane, "keydown", { code: "KeyW" });
    expect(heard).toHaveLength(2);
  });
});

describe("the mouse", () => {
  type Ask = () => Promise<void> | undefined;

  const listening = (ask?: Ask): { pane: Fake; heard: string[]; catches: () => void; stop: () => void } => {
    const pane = new Fake();
    if (ask) Object.assign(pane, { requestPointerLock: vi.fn(ask) });
    const heard: string[] = [];
    const stop = listenToMouse(pane as unknown as HTMLElement, new Fake() as unknown as HTMLCanvasElement, {
      look: (left, up) => heard.push(`look ${Math.round(left * 100) / 100 + 0} ${Math.round(up * 100) / 100 + 0}`),
      place: () => heard.push("place"),
      destroy: () => heard.push("destroy"),
    });
    const catches = (): void => {
      page.pointerLockElement = pane;
      sent(page, "pointerlockchange");
    };
    return { pane, heard, catches, stop };
  };
  const at = (x: number, y: number, more: object = {}): object => ({
    pointerId: 1,
    pointerType: "mouse",
    button: 0,
    clientX: x,
    clientY: y,
    ...more,
  });
  const click = (pane: Fake, more: object = {}): void => {
    sent(pane, "pointerdown", at(10, 10, more));
    sent(pane, "pointerup", at(11, 11, more));
  };
  const granted: Ask = () => Promise.resolve();
  const denied: Ask = () => Promise.reject(new Error("not here"));

  test("a click has it caught, and does nothing else", () => {
    const { pane, heard, catches } = listening(granted);
    expect(pane.dataset["mouse"]).toBe("free");
    click(pane);
    expect((pane as unknown as { requestPointerLock: Ask }).requestPointerLock).toHaveBeenCalledOnce();
    catches();
    expect(pane.dataset["mouse"]).toBe("caught");
    expect(heard).toEqual([]);
  });

  test("a caught mouse turns the view by moving and builds by its buttons", () => {
    const { pane, heard, catches } = listening(granted);
    catches();
    sent(pane, "pointermove", at(10, 10, { movementX: 20, movementY: -10 }));
    sent(pane, "pointermove", at(10, 10, { movementX: 900, movementY: 0 }));
    sent(pane, "pointerdown", at(10, 10));
    sent(pane, "pointerdown", at(10, 10, { button: 2 }));
    sent(pane, "pointerdown", at(10, 10, { button: 1 }));
    expect(heard).toEqual(["look -3 1.5", "place", "destroy"]);
  });

  test("a free mouse turns the view only by dragging, and a drag is no click", () => {
    const { pane, heard } = listening(granted);
    sent(pane, "pointermove", at(90, 90));
    sent(pane, "pointerdown", at(10, 10));
    for (const [x, y] of [
      [12, 10],
      [30, 10],
      [30, 18],
    ] as const)
      sent(pane, "pointermove", at(x, y));
    sent(pane, "pointerup", at(30, 18));
    expect(heard).toEqual(["look -5 0", "look 0 -2"]);
    expect((pane as unknown as { requestPointerLock: Ask }).requestPointerLock).not.toHaveBeenCalled();
  });

  test.each<[string, Ask | undefined]>([
    ["there is no way to catch it", undefined],
    ["the browser refuses to", denied],
  ])("where %s, clicks build", async (_why, ask) => {
    const { pane, heard } = listening(ask);
    if (ask) click(pane);
    await Promise.resolve();
    await Promise.resolve();
    click(pane);
    click(pane, { button: 2 });
    expect(heard).toEqual(["place", "destroy"]);
  });

  test("where only the first moment after Esc is refused, the next click catches it again", async () => {
    const { pane, heard, catches } = listening(denied);
    catches();
    sent(pane, "keydown", { key: "Escape" });
    expect(pane.dataset["mouse"]).toBe("free");
    click(pane);
    await Promise.resolve();
    await Promise.resolve();
    click(pane);
    expect((pane as unknown as { requestPointerLock: Ask }).requestPointerLock).toHaveBeenCalledTimes(2);
    expect(heard).toEqual([]);
  });

  test("a finger looks around, a tap does nothing", () => {
    const { pane, heard } = listening(undefined);
    click(pane, { pointerType: "touch" });
    expect(heard).toEqual([]);
    sent(pane, "pointerdown", at(10, 10, { pointerType: "touch" }));
    sent(pane, "pointermove", at(10, 50, { pointerType: "touch" }));
    expect(heard).toEqual(["look 0 -10"]);
  });

  test("its menu does not open, and at the end it is let go", () => {
    const { pane, catches, stop } = listening(granted);
    expect(sent(pane, "contextmenu").defaultPrevented).toBe(true);
    catches();
    stop();
    expect(page.pointerLockElement).toBeNull();
    expect(pane.dataset["mouse"]).toBeUndefined();
  });
});
