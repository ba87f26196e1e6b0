/** The legend of the pictures: marks, figures and materials. */

import { useMemo } from "preact/hooks";
import { PAINT_STYLES, type PaintStyle } from "../../../world/patterns";
import { material } from "../../../world/palette";
import type { Marking } from "../marking/marking";
import { nameOf } from "../marking/groups";

const MARKS: readonly (readonly [PaintStyle, string])[] = [
  ["marked", "marked"],
  ["marked-air", "marked air"],
  ["preview", "what the tool would change"],
];

/** A small square in the style of a mark. */
export function StyleSwatch({ style }: { style: PaintStyle }) {
  const { colour, between = "transparent", pattern } = PAINT_STYLES[style];
  return (
    <span class={`swatch swatch-${pattern}`} style={{ "--look": colour, "--between": between }} aria-hidden="true" />
  );
}

export function MaterialSwatch({ id }: { id: number }) {
  return (
    <span
      class={`swatch ${id === 0 ? "swatch-air" : ""}`}
      style={id === 0 ? {} : { "--look": material(id).colour }}
      aria-hidden="true"
    />
  );
}

export function Legend({ marking }: { marking: Marking }) {
  const { scene, grid, isLooking } = marking;
  const materials = useMemo(() => [...grid.counts()].sort((a, b) => b[1] - a[1]), [grid]);
  return (
    <section class="legend" aria-label="What is what">
      <h2 class="part-head">What is what</h2>
      <ul>
        {!isLooking &&
          MARKS.map(([look, words]) => (
            <li key={look}>
              <StyleSwatch style={look} /> {words}
            </li>
          ))}
        {scene.player && (
          <li data-figure="player">
            <span class="swatch figure figure-player" aria-hidden="true" /> the person (with a hat)
          </li>
        )}
        {scene.agent && (
          <li data-figure="agent">
            <span class="swatch figure figure-agent" aria-hidden="true" /> the assistant (a robot)
          </li>
        )}
      </ul>
      {(scene.player || scene.agent) && (
        <p class="small muted">
          The dashes show where each one looks.{" "}
          {isLooking
            ? "Call them “the person” and “the assistant” in your words."
            : "Words like “near me” are said by the person."}
        </p>
      )}
      <h3 class="part-head">Blocks here</h3>
      <ul class="legend-materials">
        {materials.map(([id, count]) => (
          <li key={id}>
            <MaterialSwatch id={id} /> {nameOf(id)} <span class="muted num">{count.toLocaleString("en")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
