/**
 * Draws decision trees: `data-tree` holds the boxes of a tree as nested lists, which become rows of boxes with lines
 * between them. Each `data-question` holds a box and the list of its answers; `data-target` names a question.
 */

import { layered, type Link } from "./layered";

const SVG = "http://www.w3.org/2000/svg";

export function startTreeDrawings(page: Document): void {
  drawAll(page);
  // The editor's drawing is replaced while somebody types.
  const checked = page.querySelector("[data-drawn]");
  if (checked) new MutationObserver(() => drawAll(checked)).observe(checked, { childList: true });
}

function drawAll(within: ParentNode): void {
  for (const tree of within.querySelectorAll<HTMLElement>("[data-tree]:not(.is-drawn)")) draw(tree);
}

function draw(tree: HTMLElement): void {
  // Boxes take the size that they have in the drawing before they are measured.
  tree.classList.add("is-drawn");
  const { boxes, links } = partsOf(tree);
  const sizes = boxes.map((box) => ({ width: box.offsetWidth, height: box.offsetHeight }));
  const { width, height, places, paths } = layered(sizes, links);
  tree.style.width = `${width}px`;
  tree.style.height = `${height}px`;
  boxes.forEach((box, number) => {
    const { left, top } = places[number]!;
    box.style.left = `${left}px`;
    box.style.top = `${top}px`;
  });
  const lines = svg("svg", { width: String(width), height: String(height), "aria-hidden": "true" });
  const lit: SVGElement[] = [];
  links.forEach(({ from, to }, number) => {
    const [one, other] = [boxes[from]!, boxes[to]!];
    const isDashed = [one, other].some((box) => box.querySelector(".tree-else"));
    const isTaken = isLit(one) && (isLit(other) || other.matches(".is-open"));
    const state = isTaken ? " is-lit" : "";
    const drawn = [svg("path", { class: `tree-line${isDashed ? " is-dashed" : ""}${state}`, d: paths[number]! })];
    if (other.matches(".tree-question")) {
      const [x, y] = [places[to]!.left + sizes[to]!.width / 2, places[to]!.top];
      drawn.push(svg("path", { class: `tree-tip${state}`, d: `M${x - 4} ${y - 7}L${x} ${y}L${x + 4} ${y - 7}Z` }));
    }
    if (isTaken) lit.push(...drawn);
    else lines.append(...drawn);
  });
  // The walk lies above the lines that share a way with it.
  lines.append(...lit);
  tree.prepend(lines);
}

/** The boxes of questions and the items of answers, and the links between them by their numbers. */
function partsOf(tree: HTMLElement): { boxes: HTMLElement[]; links: Link[] } {
  const boxes: HTMLElement[] = [];
  const questions = new Map<string, number>();
  const answers: { number: number; target: string }[] = [];
  const links: Link[] = [];
  for (const item of tree.querySelectorAll<HTMLElement>("[data-question]")) {
    const question = boxes.push(item.querySelector<HTMLElement>(".tree-question")!) - 1;
    questions.set(item.dataset["question"]!, question);
    for (const answer of item.querySelectorAll<HTMLElement>("[data-target]")) {
      const number = boxes.push(answer) - 1;
      links.push({ from: question, to: number });
      answers.push({ number, target: answer.dataset["target"]! });
    }
  }
  for (const { number, target } of answers) {
    const to = questions.get(target);
    if (to !== undefined) links.push({ from: number, to });
  }
  return { boxes, links };
}

function isLit(box: HTMLElement): boolean {
  return box.matches(".is-lit") || box.querySelector(":scope > .is-lit") !== null;
}

function svg(name: string, attributes: Record<string, string>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}
