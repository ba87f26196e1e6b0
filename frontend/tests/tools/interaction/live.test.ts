import { describe, expect, test } from "vitest";
import { beginLive, reduceLive, type Live } from "../../../src/tools/interaction/live";
import {
  elapsed_s,
  hindranceOf,
  mayStop,
  statusOf,
  statusTurnsIn,
} from "../../../src/tools/interaction/session_status";
import { CLOSE } from "../../../src/tools/interaction/connection/wire";
import { agent, eventOf, greet, heard, more, QUESTION, sends, server, START_MS, told, welcome, worker } from "./make";

const RUNNING = told(worker("start", {}));
const GIVEN = sends(RUNNING, { type: "command", body: { id: "c1", text: "build a house" } });
const status = (state: "received" | "thinking" | "acting" | "done" | "failed", reason?: string) =>
  agent("status", { command: "c1", state, ...(reason ? { reason } : {}) });

describe("the four statuses", () => {
  const at = (live: Live, later_ms = 0): string | null =>
    statusOf(live, (live.command?.received_at ?? START_MS) + later_ms);

  test("come in the order of the paper, each cleared by its own rule", () => {
    expect(at(GIVEN)).toBe("sending");
    // That the server has it does not mean that the assistant has.
    expect(at(more(GIVEN, worker("command", { id: "c1", text: "build a house" })))).toBe("sending");
    const received = more(GIVEN, status("received"));
    expect(at(received, 499)).toBe("received");
    expect(at(received, 500)).toBe("thinking");
    const parsed = more(received, status("thinking"), agent("parse", { command: "c1" }));
    expect(at(parsed, 499)).toBe("received");
    expect(at(parsed, 500)).toBe("acting");
    expect(at(more(parsed, status("acting")), 9_000)).toBe("acting");
    expect(at(more(parsed, status("acting"), status("done")), 9_000)).toBeNull();
  });

  test("an assistant that never says that it thinks is shown at work all the same", () => {
    expect(at(more(GIVEN, status("received"), status("acting")), 600)).toBe("acting");
  });

  test("the half second is waited for, and nothing else is", () => {
    const received = more(GIVEN, status("received"));
    const since = received.command?.received_at as number;
    expect(statusTurnsIn(received, since + 200)).toBe(300);
    expect(statusTurnsIn(received, since + 500)).toBeNull();
    expect(statusTurnsIn(GIVEN, since)).toBeNull();
  });
});

describe("what hinders a command", () => {
  const hindrance = (live: Live): string | null => hindranceOf(live, START_MS);

  test("nothing does, once the clock runs", () => {
    expect(hindrance(told())).toBe("not_started");
    expect(hindrance(RUNNING)).toBeNull();
  });

  test("one does that runs, then its question, then the wait for the next", () => {
    expect(hindrance(GIVEN)).toBe("at_work");
    const over = more(GIVEN, status("received"), status("done"));
    expect(hindrance(over)).toBe("waits");
    const asked = more(over, server("question", QUESTION));
    expect(hindrance(asked)).toBe("question");
    const marked = sends(asked, { type: "mark", body: { command: "c1", node: "done", choice: 0 } });
    expect(hindrance(marked)).toBe("waits");
    expect(hindrance(more(marked, server("outcome", { command: "c1", outcome: "ok" })))).toBeNull();
  });

  test("the assistant's own question does, until it is answered", () => {
    const asked = more(GIVEN, agent("ask", { question: "q1", text: "This one?", choices: ["Yes", "No"] }));
    expect(hindrance(asked)).toBe("asked");
    expect(hindrance(sends(asked, { type: "choose", body: { question: "q1", choice: 1 } }))).toBe("at_work");
  });

  test("a stop does that is on its way, until the assistant has stopped", () => {
    const stopped = sends(more(GIVEN, status("received")), { type: "stop", body: { command: "c1" } });
    expect(hindrance(stopped)).toBe("stopping");
    expect(hindrance(more(stopped, status("failed")))).toBe("waits");
  });

  test("an assistant that is away does", () => {
    const away = more(RUNNING, server("peer", { who: "agent", state: "away" }));
    expect(hindrance(away)).toBe("no_agent");
    expect(hindrance(more(away, server("peer", { who: "agent", state: "here" })))).toBeNull();
  });

  test("an episode that has its length does, where agents are measured", () => {
    const measured = { ...RUNNING, isEvaluation: true };
    expect(hindranceOf(measured, RUNNING.clock.at + 299_000)).toBeNull();
    expect(hindranceOf(measured, RUNNING.clock.at + 300_000)).toBe("time_over");
    expect(hindranceOf(RUNNING, RUNNING.clock.at + 900_000)).toBeNull();
  });
});

describe("the talk", () => {
  test("has what was said in order, a command once although it is sent and then logged", () => {
    const said = agent("say", { text: "I will." });
    const live = more(GIVEN, worker("command", { id: "c1", text: "build a house" }), said, status("done"));
    expect(live.talk.map(({ who, text, went }) => [who, text, went])).toEqual([
      ["you", "build a house", "done"],
      ["assistant", "I will.", null],
    ]);
  });

  test("tells a stopped command from a failed one", () => {
    expect(more(GIVEN, status("failed", "cannot")).talk[0]?.went).toBe("failed");
    const stopping = sends(GIVEN, { type: "stop", body: { command: "c1" } });
    expect(mayStop(GIVEN)).toBe(true);
    expect(mayStop(stopping)).toBe(false);
    expect(more(stopping, status("failed", "stopped")).talk[0]?.went).toBe("stopped");
  });

  test("says it where the assistant fell silent", () => {
    const live = more(GIVEN, server("status", { command: "c1", state: "failed", reason: "timed_out" }));
    expect(live.talk.at(-1)).toMatchObject({ who: "page", text: expect.stringContaining("did not answer") as string });
  });

  test("a command that was refused is taken out, and it is said why", () => {
    const message = { cseq: 2, type: "command", body: { id: "c1", text: "build a house" } } as const;
    const live = reduceLive(GIVEN, { type: "refused", message, detail: "The last command is not judged yet." });
    expect(live.command).toBeNull();
    expect(live.talk.map(({ who }) => who)).toEqual(["page"]);
    expect(live.talk[0]?.text).toContain("not judged yet");
  });

  test("statuses of another command change nothing", () => {
    expect(more(GIVEN, agent("status", { command: "c0", state: "done" })).command?.progress).toBe("sending");
  });
});

describe("questions", () => {
  const ASKED = more(GIVEN, status("done"), server("question", QUESTION));

  test("the next one takes the place of the one that was answered", () => {
    const marked = sends(ASKED, { type: "mark", body: { command: "c1", node: "done", choice: 1 } });
    expect(marked.question?.given).toBe(1);
    const next = more(
      marked,
      worker("mark", { command: "c1", node: "done", choice: 1 }),
      server("question", { ...QUESTION, node: "understood" }),
    );
    expect(next.question).toMatchObject({ node: "understood", given: null });
  });

  test("an answer that was refused may be given again", () => {
    const mark = { type: "mark", body: { command: "c1", node: "done", choice: 1 } } as const;
    const message = { cseq: 4, ...mark };
    expect(reduceLive(sends(ASKED, mark), { type: "refused", message, detail: "" }).question?.given).toBeNull();
  });

  test("with the outcome the command is done with", () => {
    const judged = more(ASKED, server("outcome", { command: "c1", outcome: "ok" }));
    expect(judged).toMatchObject({ command: null, question: null });
  });
});

describe("the clock", () => {
  test("runs from the start, by the server's time", () => {
    const ahead = reduceLive(beginLive(300, 0), { type: "welcome", welcome: welcome(), now: START_MS - 60_000 });
    const started = reduceLive(ahead, {
      type: "event",
      event: eventOf(worker("start", {}), 1, START_MS + 1_000),
      now: START_MS - 58_500,
    });
    // A minute slow, this browser: the clock began a second after the greeting.
    expect(elapsed_s(started, START_MS - 59_000 + 30_000)).toBe(30);
  });

  test("stands before the start and after the end", () => {
    expect(elapsed_s(told(), START_MS + 60_000)).toBe(0);
    const ended = more(greet(RUNNING, { phase: "running", elapsed_s: 12 }), server("closed", { reason: "staff" }));
    expect(elapsed_s(ended, START_MS + 60_000)).toBe(12);
  });
});

describe("a reload", () => {
  test("what the greeting said of now is not undone by the lines of then, which are not said aloud", () => {
    const state = { phase: "running", elapsed_s: 200, may_finish: true } as const;
    const greeted = greet(beginLive(300, START_MS), state, { last_seq: 50 });
    const lines = [
      worker("start", {}),
      server("clock", { elapsed_s: 0, minimum_s: 300 }),
      server("peer", { who: "agent", state: "away" }),
      server("may_finish", { allowed: false }),
      agent("say", { text: "Hello." }),
    ];
    const live = lines.reduce(
      (now, line, index) => reduceLive(now, heard(line, index + 1, START_MS - 200_000)),
      greeted,
    );
    expect(live).toMatchObject({ agent: "here", mayFinish: true, phase: "running", announced: [] });
    expect(elapsed_s(live, START_MS)).toBe(200);
    expect(live.talk).toHaveLength(1);
  });

  test("news is said aloud, and only the last of it is kept for that", () => {
    const begun = more(GIVEN, status("received"), status("thinking"), status("acting"));
    const live = more(begun, agent("say", { text: "Look." }), status("done"));
    expect(live.announced.map(({ text }) => text)).toEqual([
      "The assistant is thinking.",
      "The assistant is doing the task.",
      "The assistant says: Look.",
      "Done.",
    ]);
    const keys = live.announced.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe("the end", () => {
  test.each(["finished", "left", "expired", "agent_lost", "staff"])("%s is told as such", (reason) => {
    expect(more(RUNNING, server("closed", { reason }))).toMatchObject({ phase: "ended", reason });
  });

  test("the first reason stays", () => {
    const finished = more(RUNNING, server("closed", { reason: "finished" }));
    const live = reduceLive(finished, { type: "ended", reason: "expired" });
    expect(live.reason).toBe("finished");
    expect(reduceLive(live, { type: "over", code: CLOSE.afterEnd }).reason).toBe("finished");
  });

  test("without a word it is over all the same", () => {
    expect(reduceLive(RUNNING, { type: "over", code: CLOSE.afterEnd })).toMatchObject({
      phase: "ended",
      reason: "over",
    });
  });

  test("a session open elsewhere is not over", () => {
    const live = reduceLive(RUNNING, { type: "over", code: CLOSE.replaced });
    expect(live).toMatchObject({ phase: "running", closedBy: CLOSE.replaced });
    expect(reduceLive(live, { type: "again" }).closedBy).toBeNull();
  });
});
