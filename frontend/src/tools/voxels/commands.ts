/** The effect of a key or a button on the marking, on any page. */

import { framed, orbit, pan, zoom } from "../../world/camera";
import type { MarkingSlice } from "./marking/store_slice";
import type { Axis, Command } from "./keys";
import { middleOf, pointed, seenIn, type Marking } from "./marking/marking";
import { inOrder, thingAfter } from "./marking/walk";
import { cursorAfter } from "./camera/cursor_steps";

/** The actions that the page does itself. */
export interface PageActions {
  submit(): void;
  help(): void;
  /** "It is not there", or "there is nothing here". */
  absent(): void;
  /** Goes to the sliders of an axis. */
  openPlane(axis: Axis): void;
  focusPicture(): void;
}

/** Whether Tab leaves the picture: it does not have the focus, or there is no further thing. */
export function leavesPicture(marking: Marking | null, command: Command): boolean {
  if (command.do !== "thing") return false;
  const isThere = document.activeElement instanceof HTMLElement && "picture" in document.activeElement.dataset;
  return !isThere || !marking || !thingAfter(inOrder(marking, marking.camera), marking.thing, command.by);
}

export function runner(slice: MarkingSlice, page: PageActions): (command: Command) => void {
  return (command) => {
    const marking = slice.get();
    if (!marking) return command.do === "help" ? page.help() : undefined;
    const { dispatch } = slice;
    const { camera } = marking;
    switch (command.do) {
      case "walk":
        // The first press only shows where the cursor is.
        return dispatch({
          type: "cursor",
          at: marking.by === "keys" ? cursorAfter(marking.cursor, camera, command.by) : marking.cursor,
        });
      case "thing": {
        const thing = thingAfter(inOrder(marking, camera), marking.thing, command.by);
        return thing ? dispatch({ type: "thing", thing }) : undefined;
      }
      case "home":
        return dispatch({ type: "cursor", at: middleOf(marking.cut) });
      case "apply": {
        // Acts only at the place that is shown: the preview is what gets marked.
        const at = pointed(marking);
        return dispatch(at ? { type: "use", at } : { type: "cursor", at: marking.cursor });
      }
      case "drop":
        dispatch({ type: "drop_corner" });
        return page.focusPicture();
      case "tool":
        return marking.isLooking ? undefined : dispatch({ type: "tool", tool: command.tool });
      case "unmark":
        return marking.isLooking
          ? undefined
          : dispatch({ type: "act", act: marking.act === "mark" ? "unmark" : "mark" });
      case "air":
        return marking.isLooking
          ? undefined
          : dispatch({ type: "target", target: marking.target === "blocks" ? "air" : "blocks" });
      case "undo":
      case "redo":
      case "clear":
        return marking.isLooking ? undefined : dispatch({ type: command.do });
      case "ground":
        return dispatch({ type: "ground" });
      case "turn":
        return dispatch({ type: "camera", camera: orbit(camera, command.yaw, command.pitch) });
      case "zoom":
        return dispatch({ type: "camera", camera: zoom(camera, command.factor) });
      case "pan":
        return dispatch({
          type: "camera",
          camera: pan(camera, command.right * camera.distance, command.up * camera.distance),
        });
      case "reset":
        return dispatch({ type: "camera", camera: framed(seenIn(marking.grid, marking.cut)) });
      case "plane":
        return page.openPlane(command.axis);
      default:
        return page[command.do]();
    }
  };
}
