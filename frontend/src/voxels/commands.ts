/** What a key or a button does to the marking, whichever page it is on. */

import { framing, orbit, pan, zoom } from "../world/camera";
import type { Desk } from "./desk";
import type { Axis, Command } from "./keys";
import { middleOf, pointed } from "./marking";
import { walked } from "./walk";

/** What the page does itself. */
export interface Around {
  submit(): void;
  help(): void;
  /** "It is not there", or nothing is. */
  absent(): void;
  /** To the sliders of an axis. */
  openPlane(axis: Axis): void;
  focusPicture(): void;
}

export function runner(desk: Desk, around: Around): (command: Command) => void {
  return (command) => {
    const marking = desk.get();
    if (!marking) return command.do === "help" ? around.help() : undefined;
    const { dispatch } = desk;
    const { camera } = marking;
    switch (command.do) {
      case "walk":
        // The first press shows where the cursor is.
        return dispatch({ type: "cursor", at: marking.by === "keys" ? walked(marking.cursor, camera, command.by) : marking.cursor });
      case "home":
        return dispatch({ type: "cursor", at: middleOf(marking.cut) });
      case "apply": {
        // Never at a place that is not shown: what the preview has is what is taken.
        const at = pointed(marking);
        return dispatch(at ? { type: "use", at } : { type: "cursor", at: marking.cursor });
      }
      case "drop":
        dispatch({ type: "drop_corner" });
        return around.focusPicture();
      case "tool":
        return marking.isLooking ? undefined : dispatch({ type: "tool", tool: command.tool });
      case "unmark":
        return marking.isLooking ? undefined : dispatch({ type: "act", act: marking.act === "mark" ? "unmark" : "mark" });
      case "air":
        return marking.isLooking ? undefined : dispatch({ type: "target", target: marking.target === "blocks" ? "air" : "blocks" });
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
        return dispatch({ type: "camera", camera: pan(camera, command.right * camera.distance, command.up * camera.distance) });
      case "reset":
        return dispatch({ type: "camera", camera: framing(marking.grid.size, marking.grid) });
      case "plane":
        return around.openPlane(command.axis);
      default:
        return around[command.do]();
    }
  };
}
