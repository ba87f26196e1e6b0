/** One video to the server: announced, sent in parts, and posted as an episode. */

/** The suite, the scenario and the agent that the server made or found. */
export interface Place {
  suite: string;
  scenario: string;
  agent: string;
}

interface Begun {
  upload: string;
  part_bytes: number;
  parts: string[];
}

const TRIES = 5;
const FIRST_WAIT_MS = 500;

/** Raises an Error whose message is a sentence for the page. */
export async function upload(
  form: HTMLFormElement,
  place: Place,
  file: File,
  progress: (share: number) => void,
): Promise<void> {
  const begun = await post<Begun>(form, form.dataset.begin ?? "", {
    filename: file.name,
    bytes: String(file.size),
  });
  const etags: string[] = [];
  for (const [index, address] of begun.parts.entries()) {
    const from = index * begun.part_bytes;
    etags.push(await putPart(address, file.slice(from, from + begun.part_bytes)));
    progress((index + 1) / (begun.parts.length + 1));
  }
  await post(form, form.dataset.post ?? "", {
    upload: begun.upload,
    etags: JSON.stringify(etags),
    scenario: place.scenario,
    agent: place.agent,
    ...known(form),
  });
}

/** The outcome that is known of all the videos, if it is. */
function known(form: HTMLFormElement): Record<string, string> {
  const typed = new FormData(form);
  const outcome = typed.get("outcome");
  const moment = typed.get("moment");
  return typeof outcome === "string" && typeof moment === "string" ? { outcome, moment } : {};
}

async function putPart(address: string, part: Blob): Promise<string> {
  for (let tried = 1; ; tried += 1) {
    const answer = await fetch(address, { method: "PUT", body: part }).catch(() => null);
    if (answer?.ok) return answer.headers.get("ETag") ?? "";
    // A refusal of this part is final; a lost line or a busy server is not.
    if (answer && answer.status < 500 && answer.status !== 429 && answer.status !== 408)
      throw new Error("The server refused a part of it.");
    if (tried === TRIES) throw new Error("The line is lost.");
    await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** tried));
  }
}

async function post<T>(form: HTMLFormElement, address: string, fields: Record<string, string>): Promise<T> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  body.set("csrfmiddlewaretoken", new FormData(form).get("csrfmiddlewaretoken") ?? "");
  const answer = await fetch(address, { method: "POST", body }).catch(() => null);
  if (!answer) throw new Error("The line is lost.");
  const said = (await answer.json().catch(() => null)) as (T & { error?: string }) | null;
  if (!answer.ok || !said) throw new Error(said?.error ?? "The server did not take it.");
  return said;
}
