/** Own videos on the page “material”: choosing them, the moment of the takeover, and the upload in parts. */

import { startLook } from "./look";
import { startRefresh } from "./refresh";
import { startUploads } from "./uploads";

const form = document.querySelector<HTMLFormElement>("form[data-own-videos]");
if (form) {
  const look = startLook(form);
  startUploads(form, look);
}
for (const select of document.querySelectorAll<HTMLSelectElement>("select[data-opens]")) {
  select.addEventListener("change", () => {
    document.querySelector(select.dataset.opens ?? "")?.toggleAttribute("open", select.value === "");
  });
}
const record = document.querySelector("form[data-record]");
if (record) startLook(record);
startRefresh(document);
