/**
 * `<button data-check-all="report" hidden>` ticks every box of that name in its form, or clears them if all are
 * ticked.
 */

export function startCheckAll(page: Document): void {
  for (const button of page.querySelectorAll<HTMLButtonElement>("button[data-check-all]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const boxes = [
        ...(button.form?.querySelectorAll<HTMLInputElement>(
          `input[type="checkbox"][name="${button.dataset.checkAll}"]`,
        ) ?? []),
      ];
      const isAll = boxes.every(({ checked }) => checked);
      for (const box of boxes) box.checked = !isAll;
    });
  }
}
