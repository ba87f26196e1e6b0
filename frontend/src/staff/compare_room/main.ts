/** Plays the two videos of `[data-room]` in step from the takeover. Without scripts each video has its own controls. */

import "../../styles/staff/compare_room.css";
import { Room } from "./room";

const place = document.querySelector<HTMLElement>("[data-room]");
if (place) new Room(place).start();
