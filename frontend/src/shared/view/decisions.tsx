/** Beside what was earned: how many answers were not accepted, with the way to the page that says why. */

import type { Schemas } from "../schemas";

interface Props {
  decisions: Schemas["WorkAnswer"]["decisions"] | undefined;
}

export function NotAccepted({ decisions = [] }: Props) {
  if (decisions.length === 0) return null;
  return (
    <a href="decisions/" target="_blank" rel="noopener">
      {decisions.length} not accepted
    </a>
  );
}
