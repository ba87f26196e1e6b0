import { expect, test, vi } from "vitest";
import { listenTo, type Gestures } from "../../../../src/tools/voxels/camera/gestures";

type Facts = Partial<{ id: number; button: number; shiftKey: boolean; altKey: boolean; type: string; deltaY: number }>;

/** An element with mouse and fingers, and what they came to. */
function surface(draws = false) {
  const element = Object.assign(new EventTarget(), { setPointerCapture: () => {} });
  const on = {
    draws: () => draws,
    hover: vi.fn(),
    leave: vi.fn(),
    press: vi.fn(),
    drawFrom: vi.fn(),
    drawTo: vi.fn(),
    drawn: vi.fn(),
    turn: vi.fn(),
    slide: vi.fn(),
    zoom: vi.fn(),
    twist: vi.fn(),
  };
  const stop = listenTo(element as unknown as HTMLElement, on satisfies Gestures);
  const fire = (
    name: string,
    x: number,
    y: number,
    { id = 1, type = "mouse", button = 0, ...facts }: Facts = {},
  ): void => {
    const pointer = { clientX: x, clientY: y, pointerId: id, isPrimary: id === 1, pointerType: type, button };
    const keys = { shiftKey: false, altKey: false, deltaMode: 0, ...facts };
    element.dispatchEvent(Object.assign(new Event(name, { cancelable: true }), pointer, keys));
  };
  /** A press at (10, 10) that moves to this place. */
  const drag = (facts: Facts = {}, x = 30, y = 10): void => {
    fire("pointerdown", 10, 10, facts);
    fire("pointermove", x, y, facts);
    fire("pointerup", x, y, facts);
  };
  return { on, fire, drag, stop };
}

test("a press that hardly moves uses the tool; one that moves turns the picture and uses nothing", () => {
  const { on, drag } = surface();
  drag({}, 12, 11);
  expect(on.press.mock.calls).toEqual([[12, 11, false]]);
  drag();
  expect(on.press).toHaveBeenCalledOnce();
  expect(on.turn.mock.calls).toEqual([[20, 0]]);
});

test("with a tool that is drawn, a drag draws from where it began", () => {
  const { on, drag } = surface(true);
  drag();
  expect(on.drawFrom.mock.calls).toEqual([[10, 10]]);
  expect(on.drawTo.mock.calls).toEqual([[30, 10]]);
  expect(on.drawn.mock.calls).toEqual([[false]]);
  expect(on.turn).not.toHaveBeenCalled();
});

test.each([
  ["the right button", { button: 2 }, "turn"],
  ["Alt", { altKey: true }, "turn"],
  ["Shift", { shiftKey: true }, "slide"],
  ["the middle button", { button: 1 }, "slide"],
] as const)("with %s a drag moves the picture, whatever the tool", (_, facts, what) => {
  const { on, drag, fire } = surface(true);
  drag(facts);
  expect(on[what]).toHaveBeenCalledOnce();
  expect(on.drawFrom).not.toHaveBeenCalled();
  fire("pointerdown", 10, 10, facts);
  fire("pointerup", 10, 10, facts);
  expect(on.press).not.toHaveBeenCalled();
});

test("two fingers slide, zoom and turn; what one of them had begun to draw is dropped", () => {
  const { on, fire } = surface(true);
  const [one, two] = [{ type: "touch" }, { type: "touch", id: 2 }];
  fire("pointerdown", 100, 100, one);
  fire("pointermove", 120, 100, one);
  fire("pointerdown", 220, 100, two);
  expect(on.drawn.mock.calls).toEqual([[true]]);
  fire("pointermove", 320, 100, two);
  expect(on.zoom.mock.calls).toEqual([[2, 220, 100]]);
  expect(on.slide.mock.calls).toEqual([[50, 0]]);
  fire("pointermove", 120, 300, two);
  expect(on.twist.mock.lastCall?.[0]).toBeCloseTo(90);
  fire("pointerup", 120, 300, two);
  fire("pointermove", 150, 150, one);
  fire("pointerup", 150, 150, one);
  expect(on.press).not.toHaveBeenCalled();
  expect(on.turn).not.toHaveBeenCalled();
});

test("a finger may wander more than a mouse before it is no press", () => {
  const { on, drag } = surface();
  drag({ type: "touch" }, 17);
  expect(on.press.mock.calls).toEqual([[17, 10, true]]);
});

test("a drag that the browser takes away is dropped", () => {
  const { on, fire } = surface(true);
  fire("pointerdown", 10, 10);
  fire("pointermove", 30, 10);
  fire("pointercancel", 30, 10);
  expect(on.drawn.mock.calls).toEqual([[true]]);
  fire("pointerdown", 10, 10);
  fire("pointercancel", 10, 10);
  expect(on.press).not.toHaveBeenCalled();
});

test("a mouse hovers where it moves; repeated in place, it did not move; a finger hovers nowhere", () => {
  const { on, fire } = surface();
  fire("pointermove", 5, 5);
  fire("pointermove", 5, 5);
  fire("pointermove", 6, 5, { type: "touch" });
  expect(on.hover.mock.calls).toEqual([[5, 5]]);
});

test("the wheel zooms at the pointer: upwards nearer, downwards farther", () => {
  const { on, fire, stop } = surface();
  fire("wheel", 7, 8, { deltaY: -100 });
  fire("wheel", 7, 8, { deltaY: 100 });
  const [[nearer, x, y], [farther]] = on.zoom.mock.calls as [[number, number, number], [number]];
  expect([x, y]).toEqual([7, 8]);
  expect(nearer).toBeGreaterThan(1);
  expect(nearer * farther).toBeCloseTo(1);
  stop();
  fire("wheel", 7, 8, { deltaY: 100 });
  expect(on.zoom).toHaveBeenCalledTimes(2);
});
