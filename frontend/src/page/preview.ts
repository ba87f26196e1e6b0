/**
 * `<textarea data-preview="#here" data-preview-from="/address/">` shows in `#here` what the server makes of the text,
 * a moment after each change.
 */

const PREVIEW_AFTER_MS = 300;

export function startPreviews(page: Document): void {
  let timer = 0;
  page.addEventListener("input", (event) => {
    const field = event.target instanceof HTMLTextAreaElement ? event.target : null;
    const { preview, previewFrom } = field?.dataset ?? {};
    const place = preview && page.querySelector(preview);
    const form = field?.form;
    if (!field || !place || !previewFrom || !form) return;
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      const text = field.value;
      const body = new FormData();
      body.set("page", text);
      body.set("csrfmiddlewaretoken", new FormData(form).get("csrfmiddlewaretoken") ?? "");
      void fetch(previewFrom, { method: "POST", body })
        .then(async (answer) => (answer.ok ? answer.text() : null))
        // The HTML is the server's own and cleaned there. An answer is dropped when the text has changed meanwhile.
        .then((html) => {
          if (html !== null && field.value === text) place.innerHTML = html;
        })
        .catch(() => undefined);
    }, PREVIEW_AFTER_MS);
  });
}
