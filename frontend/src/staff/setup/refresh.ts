/** `<section id="episodes" data-refresh>` is fetched again every few seconds, until the server leaves the mark out. */

const AGAIN_AFTER_MS = 2000;

export function startRefresh(page: Document): void {
  const section = page.querySelector<HTMLElement>("[data-refresh]");
  if (!section?.id) return;
  setTimeout(() => {
    void fetch(location.href, { headers: { Accept: "text/html" } })
      .then((answer) => (answer.ok ? answer.text() : ""))
      .then((html) => {
        const fresh = new DOMParser().parseFromString(html, "text/html").getElementById(section.id);
        if (fresh) section.replaceWith(fresh);
      })
      .catch(() => undefined)
      .finally(() => startRefresh(page));
  }, AGAIN_AFTER_MS);
}
