import { describe, expect, test, vi } from "vitest";
import {
  backoff_ms,
  isTransient,
  openApi,
  withRetries,
  Problem,
  Unreachable,
  type RetryWait,
} from "../../src/work/http";
import { rows } from "../make";

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(body === null ? null : JSON.stringify(body), { status, headers });

describe("one request", () => {
  test("carries the token and the body, and gives back what came", async () => {
    const fetcher = vi.fn<typeof fetch>(async () => answer(200, { assignment: "a" }));
    const { send } = openApi("/api/v1/work/", "secret", fetcher);
    expect(await send("POST", "claim/", {})).toEqual({ status: 200, body: { assignment: "a" } });
    const [url, init] = fetcher.mock.calls[0] ?? [];
    expect(url).toBe("/api/v1/work/claim/");
    expect(init).toMatchObject({
      method: "POST",
      body: "{}",
      headers: { Authorization: "Bearer secret", "Content-Type": "application/json" },
    });
  });

  test("204 has no body", async () => {
    const { send } = openApi("/", "t", async () => answer(204, null));
    expect(await send("POST", "claim/")).toEqual({ status: 204, body: null });
  });

  const said = {
    code: "invalid",
    title: "Unprocessable",
    errors: [{ pointer: "/answer/frame", detail: "Too early." }],
  };
  test.each([
    [
      "its own sentence",
      answer(409, { code: "lease_lost", title: "Conflict", detail: "Your time ended." }),
      409,
      "lease_lost",
      "Your time ended.",
    ],
    ["the first fault, never the title", answer(422, said), 422, "invalid", "Too early."],
    ["an error page that is no JSON", new Response("<h1>Bad gateway</h1>", { status: 502 }), 502, "", ""],
  ])("a refusal has %s", async (_what, response, status, code, detail) => {
    const { send } = openApi("/", "t", async () => response);
    await expect(send("POST", "x/")).rejects.toMatchObject({ status, code, detail });
  });

  test("no line at all is told apart", async () => {
    const { send } = openApi("/", "t", async () => Promise.reject(new TypeError("failed")));
    await expect(send("GET", "")).rejects.toMatchObject({ reason: "offline" });
  });

  test("the server's clock counts", async () => {
    const line = openApi("/", "t", async () =>
      answer(200, {}, { Date: new Date(Date.now() + 3_600_000).toUTCString() }),
    );
    await line.send("GET", "");
    expect(line.serverNow() - Date.now()).toBeGreaterThan(3_590_000);
  });
});

describe("retries", () => {
  const calm = { random: () => 0, sleep: async () => undefined };

  test("asks again, later and later, until there is an answer", async () => {
    const waits: RetryWait[] = [];
    let asked = 0;
    const ask = async (): Promise<string> => {
      asked += 1;
      if (asked < 4) throw asked === 1 ? new Unreachable("offline") : new Problem(503, "", "");
      return "here";
    };
    expect(await withRetries(ask, { ...calm, onWait: (wait) => waits.push(wait) })).toBe("here");
    expect(waits.map((wait) => [wait.attempt, wait.delay_ms])).toEqual(rows("1,1000 2,2000 3,4000"));
  });

  test("takes no for an answer", async () => {
    const ask = vi.fn(async () => Promise.reject(new Problem(409, "lease_lost", "")));
    await expect(withRetries(ask, calm)).rejects.toMatchObject({ code: "lease_lost" });
    expect(ask).toHaveBeenCalledTimes(1);
  });

  test("waits as long as the server asks", async () => {
    const waits: number[] = [];
    let asked = 0;
    const ask = async (): Promise<number> => (asked++ === 0 ? Promise.reject(new Problem(429, "", "", 7)) : asked);
    await withRetries(ask, { ...calm, onWait: (wait) => waits.push(wait.delay_ms) });
    expect(waits).toEqual([7000]);
  });

  test("stops when the question no longer matters", async () => {
    const ask = vi.fn(async () => Promise.reject(new Unreachable("timeout")));
    await expect(withRetries(ask, { ...calm, until: () => true })).rejects.toBeInstanceOf(Unreachable);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  test("never waits much longer than half a minute", () => {
    expect(backoff_ms(1, () => 0)).toBe(1000);
    expect(backoff_ms(20, () => 1)).toBe(37_500);
  });

  test.each([
    [new Unreachable("offline"), true],
    [new Problem(500, "", ""), true],
    [new Problem(429, "", ""), true],
    [new Problem(422, "", ""), false],
    [new Error("a bug of ours"), false],
  ])("%s may pass: %s", (error, passes) => expect(isTransient(error)).toBe(passes));
});
