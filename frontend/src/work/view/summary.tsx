/** The end of the work in one screen: what was done, how it compares, what came of it, what is owed and when. */

import type { Summary } from "../api";

/** The sentences are the server's, as on the page of the summary. */
export function SummaryPanel({ summary }: { summary: Summary }) {
  return (
    <div class="summary" data-summary>
      {summary.said.map(({ title, sentences }) => (
        <section key={title}>
          <h2>{title}</h2>
          {sentences.map((words) => (
            <p key={words}>{words}</p>
          ))}
        </section>
      ))}
      <p>
        <a href="summary/">All about your work here, with messages</a>
      </p>
    </div>
  );
}
