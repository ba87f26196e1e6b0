/** The form in words: a sentence, and an outline whose lines highlight their words in the command. */

import type { OutlineLine } from "../payload";
import type { Runs } from "../spans";
import { said } from "../spans";

export interface OutlineProps {
  tokens: readonly string[];
  lines: readonly OutlineLine[];
  onLit: (runs: Runs) => void;
  /** Called with the place of a line that is pressed. */
  onGo?: (path: string) => void;
}

export function Outline({ tokens, lines, onLit, onGo }: OutlineProps) {
  if (lines.length === 0) return null;
  return (
    <ol class="outline" onMouseLeave={() => onLit([])}>
      {lines.map((line, index) => {
        const words = said(tokens, line.words);
        const spoken = `${line.label}${line.text ? `: ${line.text}` : ""}`;
        return (
          <li key={`${line.path}${index}`} class={`outline-line depth-${Math.min(line.depth, 8)}`}>
            <button
              type="button"
              class="outline-button"
              data-outline={line.path}
              aria-label={words ? `${spoken}, words ${words}` : spoken}
              onMouseEnter={() => onLit(line.words)}
              onFocus={() => onLit(line.words)}
              onBlur={() => onLit([])}
              onClick={() => onGo?.(line.path)}
            >
              <span class="outline-label">{line.label}</span>
              {line.text && <bdi class="outline-text">{line.text}</bdi>}
            </button>
          </li>
        );
      })}
    </ol>
  );
}
