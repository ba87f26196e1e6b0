/** The calls of the work API that the marker makes. */

import type { WorkApi as AnyWorkApi } from "../shared/work";
import type { Answer, Claim, Draft } from "./payload";

export { workApi } from "../shared/work";
export type { ReportKind } from "../shared/work";
export type WorkApi = AnyWorkApi<Claim, Answer, Draft>;
