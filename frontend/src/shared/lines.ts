/** A textarea with the numbers of its lines beside it (`data-lined`), and links that go to a line of it (`data-line`). */

/** Where a line begins and ends in a text; lines from 1, the nearest one where there is none of that number. */
export function rangeOf(text: string, line: number): [number, number] {
  const lines = text.split("\n");
  const index = Math.min(Math.max(line, 1), lines.length) - 1;
  const start = lines.slice(0, index).reduce((sum, one) => sum + one.length + 1, 0);
  return [start, start + (lines[index] ?? "").length];
}

/** The numbers of a text's lines, one below the other. */
export function numbersOf(text: string): string {
  return text
    .split("\n")
    .map((_, index) => index + 1)
    .join("\n");
}

export function startLines(page: Document): void {
  for (const place of page.querySelectorAll<HTMLElement>("[data-lined]")) number(page, place);
  page.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[data-line]") : null;
    const field = link && page.querySelector(link.getAttribute("href") ?? "");
    if (!(field instanceof HTMLTextAreaElement)) return;
    event.preventDefault();
    show(field, Number(link?.dataset.line));
  });
}

function number(page: Document, place: HTMLElement): void {
  const field = place.querySelector("textarea");
  if (!field) return;
  const numbers = page.createElement("div");
  numbers.className = "lined-numbers";
  numbers.setAttribute("aria-hidden", "true");
  place.prepend(numbers);
  place.classList.add("has-numbers");
  const follow = (): void => {
    numbers.scrollTop = field.scrollTop;
  };
  const count = (): void => {
    // Some room below, so that it scrolls as far as a text with a bar below it.
    numbers.textContent = `${numbersOf(field.value)}\n\n`;
    follow();
  };
  field.addEventListener("input", count);
  field.addEventListener("scroll", follow);
  count();
}

/** Select a line and bring it into view. */
function show(field: HTMLTextAreaElement, line: number): void {
  const [start, end] = rangeOf(field.value, line);
  field.focus();
  field.setSelectionRange(start, end);
  const height = field.scrollHeight / field.value.split("\n").length;
  field.scrollTop = Math.max(0, (line - 1) * height - field.clientHeight / 2);
}
