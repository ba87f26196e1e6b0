/** Fetches the log, page by page; of a session that goes on, what came since. */

import type { Page } from "./payload";

export class NoPage extends Error {}

/** The events after that number. Throws NoPage where there is no answer, or none that is of use. */
export async function fetchPage(address: string, after: number): Promise<Page> {
  try {
    const answer = await fetch(`${address}?after=${after}`, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new NoPage(`The server answered ${answer.status}.`);
    return (await answer.json()) as Page;
  } catch (fault) {
    throw fault instanceof NoPage ? fault : new NoPage("There is no connection.");
  }
}
