import { describe, expect, test } from "vitest";
import { finishHint } from "../../../src/tools/interaction/texts";
import {
  backMessage,
  choiceMessage,
  commandOf,
  mayFinish,
  unreflected,
  type Action,
} from "../../../src/tools/interaction/state";
import {
  after,
  agent,
  atWork,
  heard,
  more,
  PAYLOAD,
  QUESTION,
  server,
  START_MS,
  TASK,
  worker,
  type Line,
} from "./make";

const RUNNING = atWork(worker("start", {}));
const ASKED = atWork(
  worker("start", {}),
  worker("command", { id: "c1", text: "dig" }),
  agent("status", { command: "c1", state: "done" }),
  server("question", QUESTION),
);
const newId = (): string => "c9";
const hears = (line: Line): Action => ({ type: "live", action: heard(line, 999) });

describe("a command", () => {
  test("is what is typed, without the space around it", () => {
    expect(commandOf(after(RUNNING, { type: "write", text: "  dig a hole " }), newId, START_MS)).toEqual({
      type: "command",
      body: { id: "c9", text: "dig a hole" },
    });
  });

  test("is not sent where there is none, or it must wait; what was typed is kept", () => {
    expect(commandOf(after(RUNNING, { type: "write", text: "   " }), newId, START_MS)).toBeNull();
    const waits = after(ASKED, { type: "write", text: "next" });
    expect(commandOf(waits, newId, START_MS)).toBeNull();
    expect(waits.text).toBe("next");
  });

  test("is at most as long as the server takes", () => {
    expect(after(RUNNING, { type: "write", text: "a".repeat(600) }).text).toHaveLength(500);
  });
});

describe("a choice", () => {
  test("is a marking, once", () => {
    const message = choiceMessage(ASKED, 1);
    expect(message).toEqual({ type: "mark", body: { command: "c1", node: "done", choice: 1 } });
    const given = after(ASKED, { type: "live", action: { type: "sent", message: message as never, now: START_MS } });
    expect([choiceMessage(given, 0), backMessage(given)]).toEqual([null, null]);
  });

  test("that wants words opens a field, and then carries them", () => {
    expect(choiceMessage(ASKED, 2)).toBe("words");
    const writing = after(ASKED, { type: "choose_words", choice: 2 }, { type: "words", text: " it sang " });
    expect(choiceMessage(writing, 2)).toEqual({
      type: "mark",
      body: { command: "c1", node: "done", choice: 2, text: "it sang" },
    });
    expect(choiceMessage(after(writing, { type: "words", text: " " }), 2)).toBe("words");
  });

  test("that is not there is none", () => {
    expect(choiceMessage(ASKED, 3)).toBeNull();
    expect(choiceMessage(RUNNING, 0)).toBeNull();
  });

  test("answers the assistant where it asks itself", () => {
    const asked = atWork(
      worker("start", {}),
      worker("command", { id: "c1", text: "dig" }),
      agent("ask", { question: "q1", text: "Which?", choices: ["a", "b"] }),
    );
    expect(choiceMessage(asked, 1)).toEqual({ type: "choose", body: { question: "q1", choice: 1 } });
    expect(choiceMessage(asked, 2)).toBeNull();
  });

  test("the words of one question do not go to the next", () => {
    const writing = after(ASKED, { type: "choose_words", choice: 2 }, { type: "words", text: "it sang" });
    expect(after(writing, hears(server("question", { ...QUESTION, node: "what" }))).writing).toBeNull();
  });

  test("the words of a question are there again after a step back from it, and after a reload", () => {
    const left = after(
      ASKED,
      { type: "choose_words", choice: 2 },
      { type: "words", text: "it sang" },
      { type: "choose_words", choice: null },
    );
    expect(left.writing).toBeNull();
    expect(after(left, { type: "choose_words", choice: 2 }).writing?.text).toBe("it sang");
    const asked = (node: string): Action => hears(server("question", { ...QUESTION, node }));
    const next = after(left, asked("what"), { type: "choose_words", choice: 2 });
    expect(next.writing?.text).toBe("");
    const again = after(next, asked("done"), { type: "choose_words", choice: 2 });
    expect(again.writing?.text).toBe("it sang");
    const reloaded = after({ ...again, writing: null, ownWords: null }, { ...TASK, ownWords: left.ownWords });
    expect(after({ ...reloaded, live: ASKED.live }, { type: "choose_words", choice: 2 }).writing?.text).toBe("it sang");
  });

  test("back is offered only where there is a question before", () => {
    expect(backMessage(ASKED)).toEqual({ type: "back", body: { command: "c1" } });
    const first = {
      ...ASKED,
      live: more({ ...ASKED.live, question: null }, server("question", { ...QUESTION, can_go_back: false })),
    };
    expect(backMessage(first)).toBeNull();
  });
});

describe("finishing", () => {
  const ALLOWED = { ...RUNNING, live: more(RUNNING.live, server("may_finish", { allowed: true })) };
  const rate = { type: "think", thoughts: { usability: 6, performance: 4 } } as const;

  test("needs the server's word and both ratings", () => {
    expect(mayFinish(after(RUNNING, rate))).toBe(false);
    expect(mayFinish(ALLOWED)).toBe(false);
    expect(mayFinish(after(ALLOWED, rate))).toBe(true);
    expect(finishHint(after(ALLOWED, rate))).toBe("");
    const isDown = {
      ...after(ALLOWED, rate),
      live: { ...ALLOWED.live, isFinishing: true, line: { isUp: false, attempt: 1 } },
    };
    expect(finishHint(isDown)).toContain("No connection");
  });

  test("values that the server does not send are not shown", () => {
    expect(finishHint(after(RUNNING, rate))).toBe("Not yet. Please go back and keep going for a while.");
  });

  test("a reflection is sent when it has changed since", () => {
    expect(unreflected(after(ALLOWED, { type: "think", thoughts: { usability: 6 } }))).toBeNull();
    const rated = after(ALLOWED, rate);
    const body = unreflected(rated);
    expect(body).toEqual({ usability: 6, performance: 4, feedback: "" });
    const sent = after(rated, {
      type: "live",
      action: { type: "sent", message: { type: "reflect", body: body as NonNullable<typeof body> }, now: START_MS },
    });
    expect(unreflected(sent)).toBeNull();
    expect(unreflected(after(sent, { type: "think", thoughts: { feedback: "fine" } }))).toMatchObject({
      feedback: "fine",
    });
  });

  test("after a reload the ratings are those of the log", () => {
    const thoughts = { usability: 5, performance: 2, feedback: "ok" };
    const reloaded = after(RUNNING, hears(worker("reflect", thoughts)));
    expect(reloaded.thoughts).toEqual(thoughts);
    expect(unreflected(reloaded)).toBeNull();
  });

  test("the last page is there only while the clock runs", () => {
    expect(after(atWork(), { type: "last", isOpen: true }).isReflecting).toBe(false);
    const open = after(RUNNING, { type: "last", isOpen: true }, { type: "leaving", isOpen: true });
    expect([open.isReflecting, open.isLeaving]).toEqual([true, true]);
    const ended = after(open, { type: "live", action: { type: "ended", reason: "left" } });
    expect([ended.isReflecting, ended.isLeaving]).toEqual([false, false]);
  });
});

test("only blocks of the project are taken into the hand", () => {
  const state = after(RUNNING, { type: "block", id: 60 });
  expect(state.block).toBe(60);
  expect(after(state, { type: "block", id: 1 }).block).toBe(60);
  expect(atWork().block).toBe(PAYLOAD.blocks[0]);
});
