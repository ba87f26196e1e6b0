/** The page that replaces the task. */

import { Screen as AnyScreen } from "../../../work/view/screen";
import { place } from "../units";
import { SIGN, TASK_NOUN } from "../texts";
import { useView } from "./page";

export function Screen() {
  const { page, state, table } = useView();
  const { marker } = state;
  const answer = marker && table && (
    <>
      <b aria-hidden="true">{SIGN[marker.outcome]}</b> {marker.outcome},{" "}
      {place(table.start(marker.at), marker.at, table.last)}
    </>
  );
  return (
    <AnyScreen
      page={page}
      progress={state}
      noun={TASK_NOUN}
      answer={answer}
      onSendAnyway={() => page.session?.sendAnyway()}
      report={["video_broken", "frame table"]}
    />
  );
}
