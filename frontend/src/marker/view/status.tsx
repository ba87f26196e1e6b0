/** The line in the header, for the marker. */

import { Status as AnyStatus } from "../../shared/view/status";
import { useView } from "./page";

export function Status({ serverNow }: { serverNow: () => number }) {
  const { page, state } = useView();
  return (
    <AnyStatus
      standing={state.standing}
      isWorking={state.screen.is === "judging"}
      where={page.quiz?.where ?? null}
      lease_ends={state.lease_ends}
      serverNow={serverNow}
      onKeys={() => page.run({ do: "help" })}
      onInstructions={page.openInstructions}
    />
  );
}
