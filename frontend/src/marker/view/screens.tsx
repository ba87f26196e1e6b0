/** What stands there when there is nothing to mark. */

import { Screen as AnyScreen } from "../../shared/view/screen";
import { place } from "../../shared/words";
import { SIGN, THING } from "../copy";
import { useView } from "./page";

export function Screen() {
  const { page, state, table } = useView();
  const { screen, standing, marker } = state;
  const { session } = page;
  const answer = marker && table && (
    <>
      <b aria-hidden="true">{SIGN[marker.outcome]}</b> {marker.outcome}, {place(table.start(marker.at), marker.at, table.last)}
    </>
  );
  return (
    <AnyScreen
      screen={screen}
      standing={standing}
      thing={THING}
      appealUrl={page.appealUrl}
      answer={answer}
      on={{
        again: () => void session?.start(),
        new: () => void session?.takeNew(),
        instructions: page.openInstructions,
        report: () => void session?.report("video_broken", "frame table"),
        anyway: () => session?.sendAnyway(),
      }}
    />
  );
}
