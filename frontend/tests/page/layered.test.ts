import { describe, expect, test } from "vitest";
import { layered, type Link, type Size } from "../../src/page/layered";

interface Tree {
  readonly boxes: Size[];
  readonly links: Link[];
  readonly questions: number;
}

/** Questions with answers, each of which leads to the given later question or to none. */
function treeOf(answers: readonly (readonly (number | null)[])[]): Tree {
  const boxes: Size[] = answers.map((_, number) => ({ width: 250, height: 60 + (number % 4) * 18 }));
  const links: Link[] = [];
  answers.forEach((targets, question) => {
    for (const target of targets) {
      const answer = boxes.push({ width: 156, height: 36 + (boxes.length % 3) * 24 }) - 1;
      links.push({ from: question, to: answer });
      if (target !== null) links.push({ from: answer, to: target });
    }
  });
  return { boxes, links, questions: answers.length };
}

/** Trees with up to 30 questions; the same for the same number. */
function someTree(seed: number): Tree {
  let state = seed * 2654435761 + 1;
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const count = 1 + random(30);
  return treeOf(
    Array.from({ length: count }, (_, number) =>
      Array.from({ length: 1 + random(6) }, () =>
        number + 1 < count && random(3) > 0 ? number + 1 + random(count - number - 1) : null,
      ),
    ),
  );
}

const CASES: [string, Tree][] = [
  ["one question", treeOf([[null, null, null]])],
  [
    "fifty questions that all lead to the last",
    treeOf(Array.from({ length: 50 }, (_, n) => (n < 49 ? [n + 1, 49] : [null]))),
  ],
  ["questions that nothing leads to", treeOf([[null], [null, null], [null]])],
  ...Array.from({ length: 15 }, (_, seed): [string, Tree] => [`random tree ${seed}`, someTree(seed)]),
];

describe.each(CASES)("%s", (_, { boxes, links, questions }) => {
  const { width, height, places, paths } = layered(boxes, links);
  const edges = boxes.map((box, number) => {
    const { left, top } = places[number]!;
    return { left, top, right: left + box.width, bottom: top + box.height };
  });

  test("boxes stand inside the drawing and do not overlap", () => {
    const outside = edges.filter((one) => one.left < 0 || one.top < 0 || one.right > width || one.bottom > height);
    expect(outside).toEqual([]);
    const overlaps = edges.filter((one, number) =>
      edges
        .slice(number + 1)
        .some((two) => one.left < two.right && two.left < one.right && one.top < two.bottom && two.top < one.bottom),
    );
    expect(overlaps).toEqual([]);
  });

  test("the answers of a question keep their order", () => {
    for (let question = 0; question < questions; question++) {
      const lefts = links.filter(({ from }) => from === question).map(({ to }) => edges[to]!.left);
      expect(lefts).toEqual([...lefts].sort((one, other) => one - other));
    }
  });

  test("lines lead down from box to box and through none", () => {
    links.forEach(({ from, to }, number) => {
      const [one, other] = [edges[from]!, edges[to]!];
      const turns = paths[number]!.split(/[MVC ]/)
        .filter(Boolean)
        .map(Number);
      let [x, y] = turns.splice(0, 2) as [number, number];
      expect([x, y]).toEqual([(one.left + one.right) / 2, one.bottom]);
      expect(turns.slice(-2)).toEqual([(other.left + other.right) / 2, other.top]);
      while (turns.length) {
        const [floor, , , , , nextX, nextY] = turns.splice(0, 7) as [number, ...number[]];
        const isInTheWay = (box: (typeof edges)[number]): boolean =>
          box !== one && box.left < x && x < box.right && box.top < floor && box.bottom > y;
        expect(edges.filter(isInTheWay)).toEqual([]);
        expect(y <= floor && floor < nextY!).toBe(true);
        [x, y] = [nextX!, nextY!];
      }
    });
  });
});

test("a layout is the same each time", () => {
  const { boxes, links } = someTree(7);
  expect(layered(boxes, links)).toEqual(layered(boxes, links));
});
