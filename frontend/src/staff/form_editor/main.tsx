/**
 * Mounts the form editor on a staff page, in `[data-form-editor]`. It reads its options from `<script
 * type="application/json" id="form-editor-config">` and copies the form into a hidden field of the page.
 */

import "../../styles/tools/form_editor.css";
import { render } from "preact";
import { FormEditor } from "../../tools/parse/form_editor/editor";
import type { Checked } from "../../tools/parse/payload";

interface Config {
  text: string;
  tokens: string[];
  form: unknown;
  schema_url: string;
  check_url: string;
  /** Name of the hidden field. */
  input: string;
}

async function ask(url: string, body?: unknown): Promise<unknown> {
  // The token is read from the form of the page, because scripts cannot read the cookie.
  const token = document.querySelector<HTMLInputElement>("input[name=csrfmiddlewaretoken]")?.value ?? "";
  const post = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", "X-CSRFToken": token },
  };
  const answer = await fetch(url, { credentials: "same-origin", ...(body === undefined ? {} : post) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return answer.json() as Promise<unknown>;
}

async function start(place: HTMLElement, config: Config): Promise<void> {
  const field = document.querySelector<HTMLInputElement>(`input[name="${CSS.escape(config.input)}"]`);
  const send = field?.form?.querySelector<HTMLButtonElement>("[data-needs-form]");
  const write = (form: unknown): void => {
    if (field) field.value = JSON.stringify(form);
  };
  const setSound = (isSound: boolean | null): void => {
    place.dataset.sound = isSound === null ? "" : String(isSound);
    if (send) send.disabled = isSound !== true;
  };
  let schema: unknown;
  try {
    schema = await ask(config.schema_url);
  } catch {
    // The plain field of the page stays and works without the editor.
    const remark = document.createElement("p");
    remark.className = "notice notice-warn";
    remark.textContent = "The editor did not load. Reload the page to try again, or go on without it.";
    place.prepend(remark);
    return;
  }
  write(config.form);
  setSound(null);
  place.replaceChildren();
  render(
    <FormEditor
      tokens={config.tokens}
      form={config.form}
      schema={schema}
      check={async (form) => (await ask(config.check_url, { text: config.text, form })) as Checked}
      onForm={write}
      onSound={setSound}
    />,
    place,
  );
}

const place = document.querySelector<HTMLElement>("[data-form-editor]");
const config = document.querySelector("#form-editor-config")?.textContent;
if (place && config) void start(place, JSON.parse(config) as Config);
