/** Requests to the server: refusals become errors with a code, and transient failures are retried. */

/** A refusal by the server (RFC 9457). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly retryAfter_s: number | null = null,
  ) {
    super(detail || code || `status ${status}`);
    this.name = "Problem";
  }
}

/** There was no answer: no connection, or a timeout. */
export class Unreachable extends Error {
  constructor(readonly reason: "offline" | "timeout") {
    super(reason);
    this.name = "Unreachable";
  }
}

export interface Reply {
  status: number;
  body: unknown;
}

export interface Send {
  (method: string, path: string, body?: unknown, options?: { keepalive?: boolean }): Promise<Reply>;
}

export interface ApiClient {
  send: Send;
  /** The server's clock now, in ms, because leases end by its clock. */
  serverNow(): number;
}

const TIMEOUT_MS = 15_000;

export function openApi(base: string, token: string, fetcher: typeof fetch = (...a) => fetch(...a)): ApiClient {
  let skew_ms = 0;
  const send: Send = async (method, path, body, options = {}) => {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}`, Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), TIMEOUT_MS);
    try {
      const response = await fetcher(base + path, {
        method,
        headers,
        credentials: "same-origin",
        cache: "no-store",
        signal: stop.signal,
        keepalive: options.keepalive ?? false,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const date = Date.parse(response.headers.get("Date") ?? "");
      if (!Number.isNaN(date)) skew_ms = date - Date.now();
      const text = await response.text();
      const said = parse(text);
      if (!response.ok) throw problem(response, said);
      return { status: response.status, body: said };
    } catch (error) {
      if (error instanceof Problem) throw error;
      throw new Unreachable(stop.signal.aborted ? "timeout" : "offline");
    } finally {
      clearTimeout(timer);
    }
  };
  return { send, serverNow: () => Date.now() + skew_ms };
}

function parse(text: string): unknown {
  if (!text) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function problem(response: Response, said: unknown): Problem {
  const facts = (typeof said === "object" && said !== null ? said : {}) as Record<string, unknown>;
  const word = (name: string): string => (typeof facts[name] === "string" ? facts[name] : "");
  const after = Number.parseFloat(response.headers.get("Retry-After") ?? "");
  const faults = Array.isArray(facts["errors"]) ? (facts["errors"] as { detail?: string }[]) : [];
  return new Problem(
    response.status,
    word("code"),
    word("detail") || (faults[0]?.detail ?? ""),
    Number.isNaN(after) ? null : after,
  );
}

/** Whether the same request may succeed a little later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof Unreachable) return true;
  return error instanceof Problem && (error.status >= 500 || error.status === 429 || error.status === 408);
}

/** 1, 2, 4 … 30 s, each up to a quarter longer, so that many pages do not retry at the same time. */
export function backoff_ms(attempt: number, random: () => number = Math.random): number {
  return Math.min(30_000, 1000 * 2 ** (attempt - 1)) * (1 + random() / 4);
}

export interface RetryWait {
  attempt: number;
  delay_ms: number;
  error: Unreachable | Problem;
}

export interface Retries {
  onWait?: (wait: RetryWait) => void;
  sleep?: (ms: number) => Promise<void>;
  random?: () => number;
  /** Stops the retries when the result no longer matters. */
  until?: () => boolean;
}

/** Repeats a request until there is an answer or a permanent refusal. Every request of the work API may be repeated. */
export async function withRetries<T>(ask: () => Promise<T>, retries: Retries = {}): Promise<T> {
  const sleep = retries.sleep ?? sleepOrOnline;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!isTransient(error) || retries.until?.()) throw error;
      const known = error as Unreachable | Problem;
      const asked = known instanceof Problem && known.retryAfter_s !== null ? known.retryAfter_s * 1000 : 0;
      const delay_ms = Math.max(asked, backoff_ms(attempt, retries.random));
      retries.onWait?.({ attempt, delay_ms, error: known });
      await sleep(delay_ms);
    }
  }
}

/** Sleeps, but wakes as soon as the connection is back. */
export function sleepOrOnline(ms: number): Promise<void> {
  return new Promise((wake) => {
    const done = (): void => {
      clearTimeout(timer);
      removeEventListener("online", done);
      wake();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
  });
}
