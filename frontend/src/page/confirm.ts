/** `<button data-confirm="Return this task?">` asks before it acts; so does a link or a form. */

export function startConfirm(page: Document): void {
  const ask = (event: Event): void => {
    const target = event.target instanceof Element ? event.target : null;
    const marked =
      event.type === "submit"
        ? target?.closest("form[data-confirm]")
        : target?.closest("a[data-confirm], button[data-confirm]");
    const question = marked?.getAttribute("data-confirm");
    if (question && !window.confirm(question)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  page.addEventListener("click", ask, true);
  page.addEventListener("submit", ask, true);
}
