/** The moments at which something begins to change in a video. Pure. */

/** The moment after a frame, or before it; null if there is none. */
export function momentAfter(moments: readonly number[], at: number, by: -1 | 1): number | null {
  const found = by > 0 ? moments.find((moment) => moment > at) : moments.findLast((moment) => moment < at);
  return found ?? null;
}

/** The moment nearest to a frame, if it is within `reach`; otherwise the frame itself. */
export function nearMoment(moments: readonly number[], at: number, reach: number): number {
  const nearest = moments.reduce<number | null>(
    (best, moment) => (best === null || Math.abs(moment - at) < Math.abs(best - at) ? moment : best),
    null,
  );
  return nearest !== null && Math.abs(nearest - at) <= reach ? nearest : at;
}

/** The outline of the band as an SVG path over a box of 1000 × 100, from the bottom up. */
export function bandPath(band: readonly number[]): string {
  const wide = 1000 / Math.max(1, band.length);
  const steps = band.map((height, index) => {
    const top = (100 - (100 * height) / 255).toFixed(1);
    return `L${(index * wide).toFixed(2)} ${top}L${((index + 1) * wide).toFixed(2)} ${top}`;
  });
  return `M0 100${steps.join("")}L1000 100Z`;
}
