/** Numbers in words, as people read them on the page. */

import type { Schemas } from "./schemas";
import type { Frame, Seconds } from "./units";

export type Money = Schemas["Money"];

/** `12.433 s`: the number that the API calls time_s. */
export function exactTime(at: Seconds): string {
  return `${(Math.round(at * 1000) / 1000).toFixed(3)} s`;
}

/** `12.433 s · frame 373 of 8999`: 0-based, the last index. */
export function place(at: Seconds, index: Frame, last: number, joint = " · "): string {
  return `${exactTime(at)}${joint}frame ${index} of ${last}`;
}

/** `0:02`, `12:40`, `1:02:03`: whole seconds, rounded down. */
export function clock(at: number): string {
  const whole = Math.max(0, Math.floor(at));
  const s = String(whole % 60).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${s}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${s}`;
}

/** How long a hold still lasts: whole minutes while there is plenty, a clock when it is short. */
export function timeLeft(left_s: number): string {
  if (left_s <= 0) return "no time left";
  if (left_s >= 120) return `${Math.floor(left_s / 60)} min left`;
  return `${clock(left_s)} left`;
}

/** The wall clock of a moment, `09:15`, in the reader's zone. */
export function timeOfDay(at: Date, locale?: string): string {
  return at.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

/** The amount stays a decimal string all the way: money is never a float. */
export function money(value: Money, locale?: string): string {
  try {
    return new Intl.NumberFormat(locale, { style: "currency", currency: value.currency }).format(value.amount as `${number}`);
  } catch {
    return `${value.amount} ${value.currency}`;
  }
}

/** `3 of ~40`: the one at hand, of those done and open; the tilde because others work too. */
export function standing(progress: { done: number; open: number }): string {
  const total = progress.done + progress.open;
  return `${Math.min(progress.done + 1, Math.max(total, 1))} of ~${Math.max(total, 1)}`;
}
