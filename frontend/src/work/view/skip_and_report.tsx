import type { Again } from "../progress";
import { LookAgain } from "./again";

interface Props {
  isOff: boolean;
  again: Again;
  session: { release(): Promise<void>; lookAgain(): Promise<void> } | null;
  store: { dispatch(action: { type: "dialog"; dialog: "report" }): void };
}

/** The buttons that leave a task without an answer. They are small, because most workers never need them. */
export function SkipAndReport({ isOff, again, session, store }: Props) {
  if (again === "open") return <LookAgain again={again} session={session} isOff={isOff} />;
  return (
    <>
      <LookAgain again={again} session={session} isOff={isOff} />
      <button type="button" class="btn btn-link" disabled={isOff} onClick={() => void session?.release()}>
        Skip this one
      </button>
      <button
        type="button"
        class="btn btn-link"
        data-report
        disabled={isOff}
        onClick={() => store.dispatch({ type: "dialog", dialog: "report" })}
      >
        Report a problem
      </button>
    </>
  );
}
