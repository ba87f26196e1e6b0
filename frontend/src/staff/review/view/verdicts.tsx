/** Reports, the current decision and the categories. */

import type { Finding } from "../payload";
import { answerWords } from "../texts";
import { useReview } from "./context";

export function Verdicts() {
  const { page, state } = useReview();
  const { data } = page;
  return (
    <div class="grid">
      <section class="card stack" aria-labelledby="reports-title">
        <h2 id="reports-title">Reports</h2>
        {data.reports.length === 0 ? (
          <p class="muted">None.</p>
        ) : (
          <ul class="plain">
            {data.reports.map((report) => (
              <li key={`${report.name}${report.at}`}>
                <a href={report.page}>{report.name}</a>: {report.problem}
                {report.text && <> “{report.text}”</>} {report.is_seen && <span class="badge">seen</span>}
              </li>
            ))}
          </ul>
        )}
        {data.standing && (
          <p class="notice notice-good">
            <b>{data.standing.by}</b> decided {answerWords(data.standing.answer)}
            {data.standing.second && (
              <>
                , confirmed by <b>{data.standing.second}</b>
              </>
            )}
            : “{data.standing.reason}”
          </p>
        )}
      </section>
      <section class="card stack" aria-labelledby="found-title">
        <div class="card-head">
          <h2 id="found-title">Found</h2>
          {data.may_decide && (
            <button type="button" class="btn btn-small" onClick={() => page.do({ do: "tag" })}>
              Tag it <kbd>T</kbd>
            </button>
          )}
        </div>
        {state.findings.length === 0 && data.answers.every((said) => !state.found[said.id]?.length) && (
          <p class="muted">Nothing yet: neither why people err, nor how the agent failed.</p>
        )}
        <ul class="plain">
          {state.findings.map((found) => (
            <FindingLine key={found.id} of="The task" found={found} />
          ))}
          {data.answers.flatMap((said) =>
            (state.found[said.id] ?? []).map((found) => (
              <FindingLine key={found.id} of={`Answer ${said.number}`} found={found} />
            )),
          )}
        </ul>
        {state.tagTrouble && state.dialog === null && (
          <p class="errorlist" role="alert">
            {state.tagTrouble}
          </p>
        )}
      </section>
    </div>
  );
}

function FindingLine({ of, found }: { of: string; found: Finding }) {
  const { page } = useReview();
  return (
    <li>
      {of}: <span class="badge">{found.label}</span> {found.note}{" "}
      {page.data.may_decide && (
        <button
          type="button"
          class="btn btn-link"
          aria-label={`Remove ${found.label} of ${of.toLowerCase()}`}
          onClick={() => void page.untag(found).then(() => page.focusVideo())}
        >
          Remove
        </button>
      )}
    </li>
  );
}
