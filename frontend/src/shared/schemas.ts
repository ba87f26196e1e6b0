/** The shapes of the API, generated from its OpenAPI document by `make types`. */

import type { components } from "./api.generated";

export type Schemas = components["schemas"];
