import { describe, expect, it } from "vitest";
import { clockText, linesOf } from "../../../src/staff/replay/chat";
import type { Event } from "../../../src/staff/replay/payload";
import { money } from "../../../src/work/formats";
import * as make from "./make";
import { logOf } from "./make";

const lines = (events: Event[]) =>
  linesOf(
    events,
    events.map((_, place) => place * 1000),
  );
const texts = (events: Event[]): string[] => lines(events).map(({ text }) => text);

describe("lines of the chat", () => {
  it("stand at the moment after their event", () => {
    expect(lines(logOf([make.pose("agent", 1), make.command("c1", "come here")]))).toEqual([
      { count: 2, at_ms: 1000, from: "worker", kind: "said", text: "come here" },
    ]);
  });

  it("tell the worker's answers in the words of the question", () => {
    const judged = logOf([
      make.question("c1", "done", "Done?", "Yes", "No"),
      make.mark("c1", "done", 1),
      make.question("c1", "what", "What?", "Else"),
      make.mark("c1", "what", 0, "it <b>sank</b>"),
    ]);
    expect(texts(judged)).toEqual(["Done?", "No", "What?", "Else: “it <b>sank</b>”"]);
  });

  it("tell what was chosen of the agent's own question", () => {
    const body = { question: "q", text: "Which?", choices: ["red", "blue"] };
    const choose = { from: "worker", type: "choose", body: { question: "q", choice: 1 } } as const;
    expect(texts(logOf([{ from: "agent", type: "ask", body }, choose]))).toEqual(["Which?", "blue"]);
  });

  it("are one for blocks that one side changes one after the other, walking about", () => {
    const built = logOf([
      make.blocks([1, 1, 1, 57], [1, 2, 1, 57]),
      make.pose("agent", 2),
      make.blocks([1, 3, 1, 57]),
      make.place(4, 1, 4, 60),
      make.say("done"),
      make.blocks([1, 4, 1, 57]),
    ]);
    expect(lines(built).map(({ from, text, count }) => [from, text, count])).toEqual([
      ["agent", "changed 3 blocks", 1],
      ["worker", "changed 1 block", 4],
      ["agent", "done", 5],
      ["agent", "changed 1 block", 6],
    ]);
  });

  it("show the scores as the worker saw them", () => {
    const bonus = money({ amount: "1.92", currency: "USD" });
    const scores = [
      make.score("c1", true, "1.92", "Try other words."),
      make.score("c2", false, "1.92", "You said this before."),
      make.score("c3", true, null),
    ];
    expect(texts(logOf(scores))).toEqual([
      `scored 6.4 of 10, amber, expected bonus ${bonus}: “Try other words.”`,
      `scored 6.4 of 10, amber, expected bonus ${bonus}; did not count: “You said this before.”`,
      "scored 6.4 of 10, amber",
    ]);
  });

  it.each([
    [make.peer("here"), "the agent came"],
    [make.start, "started the clock"],
    [make.status("c1", "failed", "silent"), "failed: silent"],
    [make.parse("c1", "Dance."), "understood: Dance."],
    [make.objects("c1", "the pig"), "found nothing for “the pig”"],
    [make.objects("c1", "the cube", [1, 1, 1]), "took “the cube” for 1 block"],
    [make.point([1, 1, 1], [1, 1, 1]), "pointed at (1, 1, 1)"],
    [make.point([1, 1, 1], [2, 2, 2]), "pointed at (1, 1, 1) to (2, 2, 2)"],
    [make.outcome("c1", "ok"), "outcome: ok"],
    [make.closed("agent_lost"), "over: the agent was lost"],
    [make.mark("c1", "done", 2), "choice 3"],
  ])("say what happened in words: %j", (line, text) => {
    expect(texts(logOf([line]))).toEqual([text]);
  });
});

it.each([
  [0, "0:00"],
  [65_900, "1:05"],
  [3_600_000, "60:00"],
])("%i ms are %s", (ms, text) => {
  expect(clockText(ms)).toBe(text);
});
