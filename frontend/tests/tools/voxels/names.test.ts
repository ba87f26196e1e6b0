import { expect, test } from "vitest";
import { doubtAbout } from "../../../src/tools/voxels/names";
import { begin } from "../../../src/tools/voxels/marking/marking";
import { reduce } from "../../../src/tools/voxels/state";
import { Grid } from "../../../src/world/grid";
import { atWork, LAWN } from "./make";

const grid = Grid.of(LAWN);

test.each(["asdf", "qwerty", "xx", "a", "hjkl", "bcdfgh", "12", "?!", "aaaa", "lkjh"])(
  "%s reads like no name",
  (name) => {
    expect(doubtAbout(name, grid)).toEqual({ is: "no_word" });
  },
);

test.each([
  "the yellow tower",
  "snowman",
  "red block on top",
  "a statue by the lake",
  "grüner Turm",
  "塔",
  "pink roof",
  "golden top",
  "it",
])("%s is taken", (name) => {
  expect(doubtAbout(name, grid)).toBeNull();
});

test.each([
  ["the blue tower", "blue"],
  ["purple cube", "purple"],
  ["a white house", "white"],
])("%s names a colour that is not there", (name, word) => {
  expect(doubtAbout(name, grid)).toEqual({ is: "no_such_colour", word });
});

test("a doubtful name is asked about once in a scene, and never blocks twice", () => {
  const payload = { scene: LAWN };
  const asked = atWork(payload, { type: "write", text: "asdf" }, { type: "done" });
  expect(asked).toMatchObject({ outgoing: null, notice: { is: "doubtful_name" } });
  expect(reduce(asked, { type: "done" }).outgoing).toEqual({ phrase: "asdf" });
  const other = reduce(reduce(asked, { type: "write", text: "the blue tower" }), { type: "done" });
  expect(other.outgoing).toEqual({ phrase: "the blue tower" });
  expect(atWork(payload, { type: "write", text: "the tower" }, { type: "done" }).outgoing).toEqual({
    phrase: "the tower",
  });
});

test("the tool one chose stays chosen in the next scene", () => {
  const chosen = atWork({ scene: LAWN, phrase: "it" }, { type: "mark", action: { type: "tool", tool: "brush" } });
  const next = reduce(chosen, {
    type: "task",
    task: { assignment: "b", payload: { scene: LAWN, phrase: "it" } },
    before: {},
    text: "",
    lease_ends: 0,
  });
  expect(next.marking?.tool).toBe("brush");
  expect(begin(LAWN).tool).toBe("whole");
});
