/** The number of answers that were not accepted, with a link to the reasons. */

import type { Schemas } from "../api";

interface Props {
  decisions: Schemas["WorkAnswer"]["decisions"] | undefined;
}

export function NotAccepted({ decisions = [] }: Props) {
  if (decisions.length === 0) return null;
  return (
    <a href="summary/#messages" target="_blank" rel="noopener">
      {decisions.length} not accepted
    </a>
  );
}
