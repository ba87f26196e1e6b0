/** Sends the form, then each chosen video in parts; the page is loaded again when all of them have arrived. */

import { videosOf } from "./dropped";
import type { Look } from "./look";
import { upload, type Place } from "./send";

interface Row {
  file: File;
  item: HTMLLIElement;
  isSent: boolean;
}

const text = (form: HTMLFormElement, selector: string, said: string): void => {
  const place = form.querySelector<HTMLElement>(selector);
  if (place) place.textContent = said;
};

export function startUploads(form: HTMLFormElement, look: Look): void {
  const rows: Row[] = [];
  const list = form.querySelector<HTMLUListElement>("[data-chosen]");
  const drop = form.querySelector<HTMLElement>("[data-drop]");
  const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
  if (!list || !drop || !button) return;

  const add = (files: readonly File[]): void => {
    for (const file of files) {
      if (rows.some((row) => row.file.name === file.name && row.file.size === file.size)) continue;
      const item = document.createElement("li");
      rows.push({ file, item, isSent: false });
      say({ file, item, isSent: false }, `${Math.ceil(file.size / 1e6)} MB`);
      list.append(item);
    }
    look(rows[0]?.file ?? null);
  };

  for (const input of form.querySelectorAll<HTMLInputElement>("input[data-files]")) {
    input.addEventListener("change", () => {
      add([...(input.files ?? [])].filter((file) => file.size > 0 && isVideo(file)));
      input.value = "";
    });
  }
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.dataset.over = "";
  });
  drop.addEventListener("dragleave", () => delete drop.dataset.over);
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    delete drop.dataset.over;
    if (event.dataTransfer) void videosOf(event.dataTransfer, isVideo).then(add);
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!rows.length) return text(form, "[data-said]", "Choose videos first.");
    button.disabled = true;
    text(form, "[data-said]", "Uploading. Leave this page open.");
    void send(form, rows).then((isWhole) => {
      button.disabled = false;
      if (isWhole) location.reload();
    });
  });
}

/** True if every video has arrived. */
async function send(form: HTMLFormElement, rows: readonly Row[]): Promise<boolean> {
  const place = await placeOf(form);
  if (!place) return false;
  for (const row of rows.filter((one) => !one.isSent)) {
    try {
      await upload(form, place, row.file, (share) => say(row, `${Math.round(100 * share)} %`));
      row.isSent = true;
      say(row, "✓ uploaded");
    } catch (error) {
      say(row, `✕ ${error instanceof Error ? error.message : "It did not arrive."}`);
    }
  }
  const failed = rows.filter((row) => !row.isSent).length;
  text(form, "[data-said]", failed ? `${failed} did not arrive. Press Upload to send these again.` : "✓ All uploaded.");
  return failed === 0;
}

/** Has the server make what the form names; null if it refuses something, which then stands beside its field. */
async function placeOf(form: HTMLFormElement): Promise<Place | null> {
  for (const said of form.querySelectorAll("[data-error]")) said.textContent = "";
  const answer = await fetch(location.href, {
    method: "POST",
    body: new FormData(form),
    headers: { Accept: "application/json" },
  }).catch(() => null);
  const body = (await answer?.json().catch(() => null)) as (Place & { errors?: Record<string, string> }) | null;
  if (answer?.ok && body) return body;
  const errors = body?.errors ?? { "": "The server did not take it. Load the page again, and look what is missing." };
  for (const [path, detail] of Object.entries(errors)) showError(form, path, detail);
  text(form, "[data-said]", errors[""] ?? "Please mend what is marked above.");
  return null;
}

function showError(form: HTMLFormElement, path: string, detail: string): void {
  const field = form.querySelector<HTMLElement>(`[name="${CSS.escape(path)}"]`);
  const box = field?.closest(".field");
  if (!field || !box) return;
  let said = box.querySelector<HTMLElement>("[data-error]");
  if (!said) {
    said = document.createElement("p");
    said.className = "errorlist";
    said.dataset.error = path;
    said.setAttribute("role", "alert");
    box.append(said);
  }
  said.textContent = detail;
  field.closest("details")?.setAttribute("open", "");
  field.setAttribute("aria-invalid", "true");
  field.addEventListener("input", () => field.removeAttribute("aria-invalid"), { once: true });
  field.focus();
}

function say(row: Row, state: string): void {
  const name = document.createElement("span");
  name.textContent = row.file.name;
  const said = document.createElement("span");
  said.className = "muted";
  said.textContent = state;
  row.item.replaceChildren(name, said);
}

const VIDEO = /\.(mp4|m4v|mov|mkv|webm|avi|mpe?g|ogv|ts)$/i;
const isVideo = (file: File): boolean => file.type.startsWith("video/") || VIDEO.test(file.name);
