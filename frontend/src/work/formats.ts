/** Numbers as text for people. */

import type { Schemas } from "./api";

export type Money = Schemas["Money"];

/** `0:02`, `12:40`, `1:02:03`: whole seconds, rounded down. */
export function clock(at: number): string {
  const whole = Math.max(0, Math.floor(at));
  const s = String(whole % 60).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${s}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${s}`;
}

/** How long a hold lasts: in whole minutes, or as a clock when it is short. */
export function timeLeft(left_s: number): string {
  if (left_s <= 0) return "no time left";
  if (left_s >= 120) return `${Math.floor(left_s / 60)} min left`;
  return `${clock(left_s)} left`;
}

/** The time of day, `09:15`, in the reader's time zone. */
export function timeOfDay(at: Date, locale?: string): string {
  return at.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

/** The amount stays a decimal string, because money is never a float. */
export function money(value: Money, locale?: string): string {
  try {
    return new Intl.NumberFormat(locale, { style: "currency", currency: value.currency }).format(
      value.amount as `${number}`,
    );
  } catch {
    return `${value.amount} ${value.currency}`;
  }
}

/** `3 of ~40`: the current task of all done and open ones; the tilde because others work too. */
export function taskPosition(progress: { done: number; open: number }): string {
  const total = progress.done + progress.open;
  return `${Math.min(progress.done + 1, Math.max(total, 1))} of ~${Math.max(total, 1)}`;
}
