import { describe, expect, it } from "vitest";
import type { Decided, ReviewData } from "../../../src/staff/review/payload";
import { actsOf, faultAt, initialState, answerAt, missing, reduce } from "../../../src/staff/review/state";

const decided: Decided = {
  id: 7,
  answer: { outcome: "success", frame: 3 },
  reason: "r",
  by: "rae",
  second: null,
  at: "",
  is_mine: false,
};

const VOTES = { answer: { outcome: null }, confidence: 0.5 };

function data(changes: Partial<ReviewData> = {}): ReviewData {
  return {
    task: { key: "t", status: "done", wanted: 2, is_reference: false, project: "P" },
    may_decide: true,
    two_persons: false,
    decide: "",
    tags: "",
    next: "",
    queue: "",
    answers: [],
    consensus: { ...VOTES, method: "majority", annotations: 2, is_settled: true, needs_review: true },
    truths: [],
    tolerance_s: null,
    reports: [],
    proposed: null,
    standing: null,
    findings: [],
    categories: [],
    payload: {} as ReviewData["payload"],
    ...changes,
  };
}

describe("which acts a task allows", () => {
  const DECIDED = ["adjudicate", "take_back", "unjudgeable", "dismiss"];
  it.each<[string, Partial<ReviewData>, string[]]>([
    ["a tie", {}, ["adjudicate", "unjudgeable", "more", "dismiss"]],
    ["to a viewer", { may_decide: false }, []],
    ["another's proposal", { proposed: decided }, ["confirm", "refuse", ...DECIDED]],
    ["one's own proposal", { proposed: { ...decided, is_mine: true } }, DECIDED],
    ["a decision", { standing: decided }, DECIDED],
    ["a closed task", { task: { ...data().task, status: "unjudgeable" } }, ["adjudicate", "reopen", "dismiss"]],
    ["a reference", { task: { ...data().task, is_reference: true } }, ["unjudgeable", "dismiss"]],
  ])("%s", (_, changes, acts) => {
    expect(actsOf(data(changes))).toEqual(acts);
  });

  it("begins with confirming another's proposal, never one's own", () => {
    expect(initialState(data({ proposed: decided })).act).toBe("confirm");
    expect(initialState(data({ proposed: { ...decided, is_mine: true } })).act).toBe("adjudicate");
    expect(initialState(data()).act).toBe("adjudicate");
  });
});

describe("what is missing", () => {
  const state = initialState(data());

  it("is an answer, then a reason", () => {
    expect(missing(state, false)?.pointer).toBe("#/answer");
    expect(missing(state, true)?.pointer).toBe("#/reason");
    expect(missing({ ...state, reason: "  " }, true)?.pointer).toBe("#/reason");
    expect(missing({ ...state, reason: "seen" }, true)).toBeNull();
  });

  it("is no reason where none is asked for", () => {
    for (const act of ["confirm", "more", "reopen"] as const) expect(missing({ ...state, act }, false)).toBeNull();
    for (const act of ["refuse", "take_back", "unjudgeable", "dismiss"] as const)
      expect(missing({ ...state, act }, false)?.pointer).toBe("#/reason");
  });
});

describe("a refusal", () => {
  const sent = reduce(reduce(initialState(data()), { type: "reason", text: "typed" }), { type: "sending" });
  const refused = reduce(sent, {
    type: "refused",
    trouble: { detail: "", faults: [{ pointer: "#/answer/frame", detail: "Too early." }] },
  });

  it("stands beside its field and loses nothing", () => {
    expect(refused.reason).toBe("typed");
    expect(refused.isSending).toBe(false);
    expect(faultAt(refused, "#/answer")).toBe("Too early.");
    expect(faultAt(refused, "#/reason")).toBe("");
  });

  it("goes with the next try", () => {
    expect(reduce(refused, { type: "sending" }).trouble).toBeNull();
    expect(reduce(refused, { type: "act", act: "more" }).trouble).toBeNull();
  });

  it("cannot be overtaken: while one is sent the act stays", () => {
    expect(reduce(sent, { type: "act", act: "more" }).act).toBe("adjudicate");
  });
});

it("finds the consensus behind 0 and nothing behind a number that nobody has", () => {
  expect(answerAt(data(), 0)).toEqual({ outcome: null });
  expect(answerAt(data(), 3)).toBeNull();
  expect(answerAt(data(), null)).toBeNull();
});
