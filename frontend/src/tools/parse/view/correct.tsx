/** A form to accept or to correct: the command with its parts in colour, what it means, and “Is this right?”. */

import type { Guess, Part } from "../payload";
import { OPTION_KEYS } from "../keys";
import { has } from "../spans";
import { mayAnswer } from "../state";
import { useView } from "./page";

interface Piece {
  /** The index of the part that the words belong to; null for other words. */
  at: number | null;
  words: string;
  /** Whether the name of the part stands here: at its first words. */
  isNamed: boolean;
}

/** The command in pieces: words of one part, and words of none. A word belongs to the first part that names it. */
export function piecesOf(tokens: readonly string[], parts: readonly Part[]): Piece[] {
  const found: Piece[] = [];
  tokens.forEach((token, index) => {
    const place = parts.findIndex(({ words }) => has(words, index));
    const at = place < 0 ? null : place;
    const last = found.at(-1);
    if (last && last.at === at) last.words += ` ${token}`;
    else found.push({ at, words: token, isNamed: at !== null && !found.some((piece) => piece.at === at) });
  });
  return found;
}

const COLOURS = 6;

export function Correct({ tokens, guess }: { tokens: readonly string[]; guess: Guess }) {
  const { page, state } = useView();
  const busy = !mayAnswer(state);
  const pick = (index: number): void => page.store.dispatch({ type: "pick", index });
  const name = (part: Part): string => `${part.label}: ${part.text}`;
  return (
    <div class="correct" data-correct>
      <p class="correct-command" dir="auto" data-tokens data-text={tokens.join(" ")}>
        {piecesOf(tokens, guess.parts).map(({ at, words, isNamed }, index) => {
          const part = at === null ? undefined : guess.parts[at];
          if (at === null || !part)
            return (
              <span key={index} class="correct-other">
                {words}
              </span>
            );
          return (
            <button
              type="button"
              key={index}
              class={`correct-part hue-${at % COLOURS}`}
              data-enter-next
              data-wrong={part.part}
              aria-disabled={busy}
              aria-label={`Wrong? ${name(part)}`}
              onClick={() => pick(at)}
            >
              <bdi class="correct-words">{words}</bdi>
              {isNamed && (
                <small>
                  {OPTION_KEYS[at] && <kbd>{OPTION_KEYS[at]?.toUpperCase()}</kbd>} {part.label}
                </small>
              )}
            </button>
          );
        })}
      </p>
      <p class="correct-means" dir="auto" data-so-far>
        {guess.words}
      </p>
      <h2 class="correct-ask" tabIndex={-1} data-question="right" data-kind="yes_no">
        <span data-first-control tabIndex={-1}>
          Is this right?
        </span>
      </h2>
      <p class="question-hint">Enter says yes. If a part is wrong or missing, press its key or tap it.</p>
      <ul class="correct-rest">
        {guess.parts.map((part, index) =>
          part.words.length ? null : (
            <li key={part.part}>
              <button
                type="button"
                class="correct-line"
                data-enter-next
                data-wrong={part.part}
                aria-disabled={busy}
                aria-label={`Wrong? ${name(part)}`}
                onClick={() => pick(index)}
              >
                <kbd>{OPTION_KEYS[index]?.toUpperCase() ?? "·"}</kbd>
                <span class="correct-label">{part.label}</span> <bdi>{part.text}</bdi>
              </button>
            </li>
          ),
        )}
      </ul>
    </div>
  );
}
