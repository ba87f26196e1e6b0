/** A scene as a question of a quiz. */

import { wholeQuizApi, wholeQuizOf, type WholeQuiz } from "../../work/quiz";
import { indexOf } from "../../world/frame";
import { toRuns } from "./marking/runs";
import { FIRST_TOOL } from "./marking/tools";
import type { Answer, Draft, Payload } from "./payload";

export type Quiz = WholeQuiz<Payload, Answer>;

export const quizOf = wholeQuizOf<Payload, Answer>;

export const quizApi = wholeQuizApi<Payload, Answer, Draft>("voxels", (answer, saved_at, { scene: { size } }) => ({
  marks: "voxels" in answer ? toRuns(answer.voxels.map((cell) => indexOf(size, ...cell))) : "",
  absent: "absent" in answer || "nothing" in answer,
  tool: FIRST_TOOL,
  camera: null,
  text: "phrase" in answer ? answer.phrase : "",
  active_s: 0,
  saved_at,
}));
