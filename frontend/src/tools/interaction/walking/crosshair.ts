/** The crosshair in the middle of the view: dark with a light rim, so that it is visible on any block. */

const SVG = "http://www.w3.org/2000/svg";
const SIDE_PX = 24;
const ARMS = "M12 2v7M12 15v7M2 12h7M15 12h7";

/** Styled by script, which the content security policy allows: the crosshair must always be in the middle. */
export function putCrosshair(canvas: HTMLCanvasElement): SVGElement {
  const mark = document.createElementNS(SVG, "svg");
  mark.setAttribute("viewBox", "0 0 24 24");
  mark.setAttribute("aria-hidden", "true");
  mark.classList.add("crosshair");
  Object.assign(mark.style, {
    position: "absolute",
    left: "50%",
    top: "50%",
    width: `${SIDE_PX}px`,
    height: `${SIDE_PX}px`,
    transform: "translate(-50%, -50%)",
    pointerEvents: "none",
    fill: "none",
  });
  for (const [colour, width] of [
    ["#fff", "4"],
    ["#111", "2"],
  ] as const) {
    const arms = document.createElementNS(SVG, "path");
    arms.setAttribute("d", ARMS);
    arms.setAttribute("stroke", colour);
    arms.setAttribute("stroke-width", width);
    mark.append(arms);
  }
  canvas.after(mark);
  return mark;
}
