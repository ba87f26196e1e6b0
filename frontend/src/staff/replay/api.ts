/** Fetches the log page by page, and the new events of a running session. */

import type { Page } from "./payload";

export class NoPage extends Error {}

/** The events after the number `after`. Throws NoPage when there is no usable answer. */
export async function fetchPage(address: string, after: number): Promise<Page> {
  try {
    const answer = await fetch(`${address}?after=${after}`, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new NoPage(`The server answered ${answer.status}.`);
    return (await answer.json()) as Page;
  } catch (fault) {
    throw fault instanceof NoPage ? fault : new NoPage("There is no connection.");
  }
}
