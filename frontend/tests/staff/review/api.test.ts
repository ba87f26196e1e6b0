import { describe, expect, it } from "vitest";
import { Unreachable } from "../../../src/work/http";
import { Refused, reviewApi } from "../../../src/staff/review/api";

type Sent = { url: string; body: URLSearchParams; headers: Record<string, string> };

function api(answer: () => Response | Promise<Response>) {
  const sent: Sent[] = [];
  const fetcher = (async (url: string, init: RequestInit) => {
    sent.push({ url, body: init.body as URLSearchParams, headers: init.headers as Record<string, string> });
    return answer();
  }) as typeof fetch;
  return { sent, api: reviewApi({ decide: "/decide/", tags: "/tags/" }, "token", fetcher) };
}

const json = (body: unknown, status = 200): Response => new Response(JSON.stringify(body), { status });

describe("deciding", () => {
  it("sends the form's own fields and says where to go next", async () => {
    const line = api(() => json({ next: "/staff/review/tasks/2/" }));
    const said = { act: "adjudicate", reason: "why" } as const;
    const answer = { outcome: "success", frame: 3 } as const;
    expect(await line.api.decide({ ...said, answer, proposal: 7 })).toBe("/staff/review/tasks/2/");
    const sent = { ...said, answer: JSON.stringify(answer), proposal: "7" };
    expect(Object.fromEntries(line.sent[0]!.body)).toEqual(sent);
    expect(line.sent[0]!.headers["X-CSRFToken"]).toBe("token");
  });

  it("leaves out what there is not", async () => {
    const line = api(() => json({ next: "/" }));
    await line.api.decide({ act: "more", reason: "", answer: null, proposal: null });
    expect(Object.fromEntries(line.sent[0]!.body)).toEqual({ act: "more", reason: "" });
  });

  it("tells refusals with their places", async () => {
    const faults = [{ pointer: "#/reason", detail: "Say why." }];
    const line = api(() => json({ detail: "Some of it", errors: faults }, 422));
    await expect(line.api.decide({ act: "dismiss", reason: "", answer: null, proposal: null })).rejects.toMatchObject({
      status: 422,
      faults,
    });
  });

  it("tells a lost line from a refusal, and survives an answer that is no JSON", async () => {
    const lost = api(() => Promise.reject(new TypeError("offline")));
    await expect(lost.api.untag(1)).rejects.toBeInstanceOf(Unreachable);
    const broken = api(() => new Response("<h1>Bad gateway</h1>", { status: 502 }));
    await expect(broken.api.untag(1)).rejects.toBeInstanceOf(Refused);
  });
});
