/** A press of the mouse leaves the focus where it is, so that Enter still submits after a click on a button. */
export const keepFocus = (event: Event): void => event.preventDefault();
