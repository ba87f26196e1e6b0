/** Numbers the lines of a textarea (`data-lined`); a link with `data-line` goes to a line of it. */

/** The start and end of a line in a text. Lines count from 1; a number out of range means the nearest line. */
export function rangeOf(text: string, line: number): [number, number] {
  const lines = text.split("\n");
  const index = Math.min(Math.max(line, 1), lines.length) - 1;
  const start = lines.slice(0, index).reduce((sum, one) => sum + one.length + 1, 0);
  return [start, start + (lines[index] ?? "").length];
}

/** The line numbers of a text, one below the other. */
export function numbersOf(text: string): string {
  return text
    .split("\n")
    .map((_, index) => index + 1)
    .join("\n");
}

export function startNumberedTextareas(page: Document): void {
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
    // Empty lines at the end let the numbers scroll as far as a text that has a scroll bar below it.
    numbers.textContent = `${numbersOf(field.value)}\n\n`;
    follow();
  };
  field.addEventListener("input", count);
  field.addEventListener("scroll", follow);
  count();
}

/** Selects a line and scrolls to it. */
function show(field: HTMLTextAreaElement, line: number): void {
  const [start, end] = rangeOf(field.value, line);
  field.focus();
  field.setSelectionRange(start, end);
  const height = field.scrollHeight / field.value.split("\n").length;
  field.scrollTop = Math.max(0, (line - 1) * height - field.clientHeight / 2);
}
