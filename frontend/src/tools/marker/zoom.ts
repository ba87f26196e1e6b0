/** A nearer look at the picture: how many times larger, and which place of it lies in the middle. Pure. */

/** `x` and `y` are shares of the picture, 0 to 1. */
export interface Zoom {
  times: number;
  x: number;
  y: number;
}

export const WHOLE: Zoom = { times: 1, x: 0.5, y: 0.5 };
export const MOST = 8;
const STEP = 1.5;

const within = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** The place is moved so that the picture still fills its frame. */
function fitted({ times, x, y }: Zoom): Zoom {
  if (times <= 1) return WHOLE;
  const half = 0.5 / times;
  return { times, x: within(x, half, 1 - half), y: within(y, half, 1 - half) };
}

/** One step nearer or farther; 0 shows the whole picture. With a place it stays where it is on the screen. */
export function stepped(zoom: Zoom, by: -1 | 0 | 1, at = { x: 0.5, y: 0.5 }): Zoom {
  if (by === 0) return WHOLE;
  const times = within(by > 0 ? zoom.times * STEP : zoom.times / STEP, 1, MOST);
  const keep = (middle: number, spot: number): number => middle + (spot - 0.5) * (1 / zoom.times - 1 / times);
  return fitted({ times, x: keep(zoom.x, at.x), y: keep(zoom.y, at.y) });
}

/** The picture moved by shares of its frame, as a drag does. */
export function moved(zoom: Zoom, right: number, down: number): Zoom {
  return fitted({ ...zoom, x: zoom.x - right / zoom.times, y: zoom.y - down / zoom.times });
}

/** The transform of the picture in CSS; none for the whole picture. */
export function transformOf({ times, x, y }: Zoom): string {
  if (times === 1) return "none";
  return `scale(${times.toFixed(4)}) translate(${(100 * (0.5 - x)).toFixed(3)}%, ${(100 * (0.5 - y)).toFixed(3)}%)`;
}
