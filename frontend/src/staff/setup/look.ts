/** Shows the first chosen video, with a slider that finds the moment at which the agent takes over. */

/** Shows this file, or hides the picture where there is none. */
export type Look = (file: File | null) => void;

export function startLook(form: ParentNode): Look {
  const place = form.querySelector<HTMLElement>("[data-look]");
  const video = form.querySelector<HTMLVideoElement>("[data-picture]");
  const slider = form.querySelector<HTMLInputElement>("[data-slider]");
  const moment = form.querySelector<HTMLOutputElement>("[data-moment]");
  const button = form.querySelector<HTMLButtonElement>("[data-takeover]");
  const field = form.querySelector<HTMLInputElement>("[name=takeover_s]");
  if (!place || !video || !slider || !moment || !button || !field) return () => undefined;
  let address = "";
  video.addEventListener("loadedmetadata", () => {
    slider.max = String(Number.isFinite(video.duration) ? video.duration : 0);
    place.hidden = false;
  });
  // A video of the page's own may have been loaded before this script.
  if (video.readyState >= HTMLMediaElement.HAVE_METADATA) video.dispatchEvent(new Event("loadedmetadata"));
  // A format that this browser does not play may still be prepared by the server.
  video.addEventListener("error", () => (place.hidden = true));
  slider.addEventListener("input", () => {
    video.currentTime = Number(slider.value);
    moment.value = `${Number(slider.value).toFixed(2)} s`;
  });
  button.addEventListener("click", () => {
    field.value = Number(slider.value).toFixed(2);
    field.closest("details")?.setAttribute("open", "");
    field.focus();
  });
  return (file) => {
    if (address) URL.revokeObjectURL(address);
    address = file ? URL.createObjectURL(file) : "";
    place.hidden = true;
    slider.value = "0";
    moment.value = "0.00 s";
    if (address) video.src = address;
  };
}
