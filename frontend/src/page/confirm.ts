/**
 * `<button data-confirm="Return this task?">` asks before it acts; so does a link or a form.
 *
 * `<button data-needs="reason">` first asks for the field of that name, in the words of the field's `data-needed`.
 */

export function startConfirm(page: Document): void {
  const ask = (event: Event): void => {
    const target = event.target instanceof Element ? event.target : null;
    const marked =
      event.type === "submit"
        ? target?.closest("form[data-confirm]")
        : target?.closest("a[data-confirm], button[data-confirm]");
    if (event.type === "click" && lacksField(target)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    const question = marked?.getAttribute("data-confirm");
    if (question && !window.confirm(question)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  page.addEventListener("click", ask, true);
  page.addEventListener("submit", ask, true);
}

/** Whether the button needs a field of its form that is empty; then the browser says so at the field. */
function lacksField(target: Element | null): boolean {
  const button = target?.closest<HTMLButtonElement>("button[data-needs]");
  const field = button?.form?.elements.namedItem(button.dataset["needs"] ?? "");
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) {
    return false;
  }
  if (field.value.trim()) {
    return false;
  }
  field.setCustomValidity(field.dataset["needed"] ?? "This is needed.");
  field.reportValidity();
  field.addEventListener("input", () => field.setCustomValidity(""), { once: true });
  // Another button of the form may do without the field.
  field.addEventListener("blur", () => field.setCustomValidity(""), { once: true });
  return true;
}
