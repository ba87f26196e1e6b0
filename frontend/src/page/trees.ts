/** Loaded on the pages of decision trees: the drawing, the editor with numbered lines, and answering by number keys. */

import "../styles/staff/trees.css";
import { startNumberKeys } from "./number_keys";
import { startNumberedTextareas } from "./numbered_textarea";
import { startScrollFrames } from "./scroll_frames";
import { startTreeDrawings } from "./tree_drawing";

startNumberKeys(document);
// Frames scroll to a box in its place: a tree is drawn first.
startTreeDrawings(document);
startScrollFrames(document);
startNumberedTextareas(document);
