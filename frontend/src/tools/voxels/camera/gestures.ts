/** Translates mouse and touch events over the picture into gestures. */

export interface Gestures {
  /** Whether one finger or the left button draws; otherwise it turns the picture. */
  draws(): boolean;
  hover(x: number, y: number): void;
  leave(): void;
  /** A press without a movement. */
  press(x: number, y: number, byTouch: boolean): void;
  drawFrom(x: number, y: number): void;
  drawTo(x: number, y: number): void;
  drawn(isDropped: boolean): void;
  /** In pixels. */
  turn(dx: number, dy: number): void;
  slide(dx: number, dy: number): void;
  /** 2 is twice as near; the place under the pointer keeps its position. */
  zoom(factor: number, x: number, y: number): void;
  /** In degrees. */
  twist(by: number): void;
}

/** The pixels that a press may move. */
const SLACK = 4;
const SLACK_TOUCH = 9;
const WHEEL = 0.0015;
const LINE_PX = 16;
/** The `deltaMode` of a wheel that counts in pixels. */
const PIXELS = 0;

type Mode = "press" | "draw" | "turn" | "slide" | "pair" | "over";
interface Point {
  x: number;
  y: number;
}

/** Listens until the returned function is called. */
export function listenTo(element: HTMLElement, on: Gestures): () => void {
  const points = new Map<number, Point>();
  let mode: Mode = "over";
  let from: Point = { x: 0, y: 0 };
  let becomes: "draw" | "turn" = "turn";
  let hovered: Point | null = null;

  const down = (event: PointerEvent): void => {
    // A finger may have lifted over a menu of the browser, without an event.
    if (event.isPrimary) points.clear();
    const at = { x: event.clientX, y: event.clientY };
    points.set(event.pointerId, at);
    element.setPointerCapture(event.pointerId);
    if (points.size > 1) {
      if (mode === "draw") on.drawn(true);
      mode = points.size === 2 ? "pair" : "over";
      return;
    }
    from = at;
    // The middle button would start to scroll.
    if (event.button === 1) event.preventDefault();
    mode = event.button === 0 && !event.altKey && !event.shiftKey ? "press" : "over";
    becomes = on.draws() ? "draw" : "turn";
    if (event.button === 1 || (event.button === 0 && event.shiftKey)) mode = "slide";
    else if (event.button === 2 || (event.button === 0 && event.altKey)) mode = "turn";
  };

  const move = (event: PointerEvent): void => {
    const before = points.get(event.pointerId);
    const at = { x: event.clientX, y: event.clientY };
    if (!before) {
      // Browsers repeat the last position when the page under the mouse changes; that is no movement.
      const isMoved = hovered?.x !== at.x || hovered.y !== at.y;
      if (isMoved && event.pointerType !== "touch") on.hover(at.x, at.y);
      hovered = at;
      return;
    }
    const slack = event.pointerType === "touch" ? SLACK_TOUCH : SLACK;
    if (mode === "press" && Math.hypot(at.x - from.x, at.y - from.y) > slack) {
      mode = becomes;
      if (mode === "draw") on.drawFrom(from.x, from.y);
    }
    if (mode === "pair") pair(event.pointerId, before, at);
    else if (mode === "draw") on.drawTo(at.x, at.y);
    else if (mode === "turn") on.turn(at.x - before.x, at.y - before.y);
    else if (mode === "slide") on.slide(at.x - before.x, at.y - before.y);
    points.set(event.pointerId, at);
  };

  /** One of two fingers has moved: the centre slides, the distance zooms, the angle turns. */
  const pair = (id: number, before: Point, at: Point): void => {
    const other = [...points].find(([one]) => one !== id)?.[1];
    if (!other) return;
    const [old, now] = [spanOf(other, before), spanOf(other, at)];
    on.slide((at.x - before.x) / 2, (at.y - before.y) / 2);
    if (old.length > 0 && now.length > 0) on.zoom(now.length / old.length, (at.x + other.x) / 2, (at.y + other.y) / 2);
    const angle = now.angle - old.angle;
    on.twist(angle - 360 * Math.round(angle / 360));
  };

  const up = (event: PointerEvent): void => {
    if (!points.delete(event.pointerId)) return;
    const isCancelled = event.type === "pointercancel";
    if (mode === "press" && !isCancelled) on.press(event.clientX, event.clientY, event.pointerType === "touch");
    if (mode === "draw") on.drawn(isCancelled);
    // The remaining finger does nothing more.
    mode = "over";
  };

  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const px = event.deltaY * (event.deltaMode === PIXELS ? 1 : LINE_PX);
    // A pinch on a touchpad is sent as a wheel event with small numbers.
    on.zoom(Math.exp(-px * WHEEL * (event.ctrlKey ? 6 : 1)), event.clientX, event.clientY);
  };
  const leave = (): void => on.leave();
  // Prevents the context menu and the fling, which would swallow the next tap.
  const keep = (event: Event): void => event.preventDefault();

  const listeners: readonly [string, (event: never) => void, AddEventListenerOptions?][] = [
    ["pointerdown", down],
    ["pointermove", move],
    ["pointerup", up],
    ["pointercancel", up],
    ["pointerleave", leave],
    ["wheel", wheel, { passive: false }],
    ["contextmenu", keep],
    ["touchmove", keep, { passive: false }],
  ];
  for (const [name, does, options] of listeners) element.addEventListener(name, does as EventListener, options);
  return () => {
    for (const [name, does] of listeners) element.removeEventListener(name, does as EventListener);
  };
}

function spanOf(from: Point, to: Point): { length: number; angle: number } {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  return { length: Math.hypot(dx, dy), angle: (Math.atan2(dy, dx) * 180) / Math.PI };
}
