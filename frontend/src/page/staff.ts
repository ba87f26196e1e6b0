/** Loaded on every staff page: the staff style sheets and small habits of these pages. */

import "./site";
import "../styles/staff/staff.css";
import { startCheckAll } from "./check_all";
import { startCopyButtons } from "./copy_button";
import { startGrids } from "./grid";
import { startHighlights } from "./highlight";
import { startLiveParts } from "./live_part";
import { startPreviews } from "./preview";
import { startScrollFocus } from "./scroll_focus";
import { startUnsaved } from "./unsaved";

startCopyButtons(document);
startPreviews(document);
startUnsaved(document);
startCheckAll(document);
startHighlights(document);
startLiveParts(document);
startGrids(document);
startScrollFocus(document);
