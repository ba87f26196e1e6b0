/** The line in the header, for the marker. */

import { Status as AnyStatus } from "../../shared/view/status";
import { useView } from "./page";

export function Status({ serverNow }: { serverNow: () => number }) {
  const { page, state } = useView();
  return <AnyStatus course={state} quiz={page.quiz} serverNow={serverNow} onKeys={() => page.run({ do: "help" })} onInstructions={page.openInstructions} />;
}
