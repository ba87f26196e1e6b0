/** The end of the work in one screen: what was done, how it compares, what came of it, what is owed and when. */

import type { Summary } from "../api";
import { comparedWords, cameOfItWords, owedWords, doneWords, type TaskNoun } from "../texts";

export function SummaryPanel({ summary, noun }: { summary: Summary; noun: TaskNoun }) {
  const parts = [
    ["What you did", [doneWords(summary, noun), ...comparedWords(summary, noun)]],
    ["Your pay", owedWords(summary)],
    ["What came of it", cameOfItWords(summary, noun)],
  ] as const;
  return (
    <div class="summary" data-summary>
      {parts.map(
        ([title, sentences]) =>
          sentences.length > 0 && (
            <section key={title}>
              <h2>{title}</h2>
              {sentences.map((words) => (
                <p key={words}>{words}</p>
              ))}
            </section>
          ),
      )}
      <p>
        <a href="summary/">All about your work here, with messages</a>
      </p>
    </div>
  );
}
