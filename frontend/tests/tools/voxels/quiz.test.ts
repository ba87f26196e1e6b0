import { expect, test, vi } from "vitest";
import { quizApi, quizOf, type Quiz } from "../../../src/tools/voxels/quiz";
import { LAWN } from "./make";
import { rows } from "../../make";

const QUIZ: Quiz = {
  key: "k",
  payload: { scene: LAWN, phrase: "the tower" },
  answer: null,
  ask: "",
  where: "Question 1 of 1",
  back: "",
  backTo: "Back to the questions before",
};

test("a page of a quiz brings its scene, and what was answered before", () => {
  expect(quizOf({ token: "t" })).toBeNull();
  const data = { quizKey: "k", quizPayload: JSON.stringify(QUIZ.payload), quizWhere: "Question 1 of 1" };
  expect(quizOf(data)).toEqual(QUIZ);
  expect(quizOf({ ...data, quizAnswer: '{"absent":true}' })?.answer).toEqual({ absent: true });
});

test.each([
  [
    {
      voxels: rows("0,0,0 0,0,1") as [number, number, number][],
    },
    { marks: "0+2", absent: false, text: "" },
  ],
  [{ absent: true } as const, { marks: "", absent: true, text: "" }],
  [{ phrase: "the lawn" }, { marks: "", absent: false, text: "the lawn" }],
  [{ nothing: true } as const, { marks: "", absent: true, text: "" }],
])("%j is gone on with", async (answer, draft) => {
  const claim = await quizApi({ ...QUIZ, answer }, vi.fn(), vi.fn(), () => 0).claim({});
  expect(claim).toMatchObject({ assignment: "k", tool: "voxels", draft });
});

test("the answer goes into the form once, and a second question loads the page anew", async () => {
  const [send, reload] = [vi.fn(), vi.fn()];
  const api = quizApi(QUIZ, send, reload, () => 0);
  expect((await api.claim({}))?.draft).toBeNull();
  void api.submit("k", { absent: true }, 1, {});
  expect(send.mock.calls).toEqual([[{ absent: true }]]);
  void api.claim({});
  expect(reload).toHaveBeenCalledOnce();
});
