interface Props {
  isOff: boolean;
  session: { release(): Promise<void> } | null;
  store: { dispatch(action: { type: "dialog"; dialog: "report" }): void };
}

/** The buttons that leave a task without an answer. They are small, because most workers never need them. */
export function SkipAndReport({ isOff, session, store }: Props) {
  return (
    <>
      <button type="button" class="btn btn-link" disabled={isOff} onClick={() => void session?.release()}>
        Skip this one
      </button>
      <button
        type="button"
        class="btn btn-link"
        disabled={isOff}
        onClick={() => store.dispatch({ type: "dialog", dialog: "report" })}
      >
        Report a problem
      </button>
    </>
  );
}
