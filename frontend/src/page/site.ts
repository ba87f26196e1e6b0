/** Loaded on every page: the common style sheet and the confirmation questions. */

import "../styles/base/site.css";
import { startConfirm } from "./confirm";

startConfirm(document);
