/**
 * Mouse and touch in the world. A caught mouse turns the view and builds; a free one turns it by dragging and is caught
 * by a click.
 */

/** The pixels that a click may move. */
const SLACK_PX = 4;
const DEGREES_A_PIXEL = { caught: 0.15, dragged: 0.25 };
/** Some browsers occasionally report a jump across the screen. */
const JUMP_PX = 300;

const LEFT = 0;
const RIGHT = 2;

export interface Mouse {
  /** In degrees to the left and upwards. */
  look(left: number, up: number): void;
  place(): void;
  destroy(): void;
}

/** Listens until the returned function is called, which also releases the mouse. */
export function listenToMouse(pane: HTMLElement, canvas: HTMLElement, on: Mouse): () => void {
  let pressed: { id: number; x: number; y: number; isDrag: boolean } | null = null;
  let wasCaught = false;
  // If the mouse cannot be caught, a click builds at once.
  let isRefused = !("requestPointerLock" in pane);

  const isCaught = (): boolean => document.pointerLockElement === pane;
  const build = (button: number): void => {
    if (button === LEFT) on.place();
    else if (button === RIGHT) on.destroy();
  };
  const look = (dx: number, dy: number, degrees: number): void => {
    if (Math.abs(dx) > JUMP_PX || Math.abs(dy) > JUMP_PX) return;
    // Positive is to the right and downwards, as on the screen.
    on.look(-dx * degrees, -dy * degrees);
  };
  const refused = (): void => {
    // Browsers also refuse for a moment after Esc; the next click works.
    if (!wasCaught) isRefused = true;
  };
  const catchMouse = (): void => {
    try {
      // Older browsers return nothing and fire an event.
      (pane.requestPointerLock() as Promise<void> | undefined)?.catch(refused);
    } catch {
      refused();
    }
  };

  const down = (event: PointerEvent): void => {
    if (event.target !== pane && event.target !== canvas) return;
    if (isCaught()) return build(event.button);
    pressed = { id: event.pointerId, x: event.clientX, y: event.clientY, isDrag: false };
    pane.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent): void => {
    if (isCaught()) return look(event.movementX, event.movementY, DEGREES_A_PIXEL.caught);
    if (pressed?.id !== event.pointerId) return;
    const [dx, dy] = [event.clientX - pressed.x, event.clientY - pressed.y];
    if (!pressed.isDrag && Math.hypot(dx, dy) <= SLACK_PX) return;
    pressed = { id: pressed.id, x: event.clientX, y: event.clientY, isDrag: true };
    look(dx, dy, DEGREES_A_PIXEL.dragged);
  };
  const up = (event: PointerEvent): void => {
    if (pressed?.id !== event.pointerId) return;
    const isClick = !pressed.isDrag && event.type === "pointerup" && event.pointerType !== "touch";
    pressed = null;
    if (!isClick) return;
    if (isRefused) build(event.button);
    else catchMouse();
  };
  const key = (event: KeyboardEvent): void => {
    // Browsers do this themselves, except those driven by programs.
    if (event.key === "Escape" && isCaught()) document.exitPointerLock();
  };
  const changed = (): void => {
    pressed = null;
    wasCaught ||= isCaught();
    pane.dataset.mouse = isCaught() ? "caught" : "free";
  };
  const keep = (event: Event): void => event.preventDefault();

  const listeners: readonly [EventTarget, string, (event: never) => void, AddEventListenerOptions?][] = [
    [pane, "pointerdown", down],
    [pane, "pointermove", move],
    [pane, "pointerup", up],
    [pane, "pointercancel", up],
    [pane, "keydown", key],
    [pane, "contextmenu", keep],
    [pane, "touchmove", keep, { passive: false }],
    [document, "pointerlockchange", changed],
    [document, "pointerlockerror", refused],
  ];
  for (const [target, name, does, options] of listeners) target.addEventListener(name, does as EventListener, options);
  pane.dataset.mouse = "free";
  return () => {
    for (const [target, name, does] of listeners) target.removeEventListener(name, does as EventListener);
    if (isCaught()) document.exitPointerLock();
    delete pane.dataset.mouse;
  };
}
