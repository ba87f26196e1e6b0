/** Covers a picture that lost its graphics context, with a button to draw it again. `kept` says what is not lost. */

export function Broken({
  name = "stage-broken",
  kept = "",
  again,
}: {
  name?: string;
  kept?: string;
  again: () => void;
}) {
  return (
    <div class={`${name} notice notice-warn`} role="alert">
      <p>The picture stopped: the browser took its memory back.{kept && ` ${kept}`}</p>
      <button type="button" class="btn" onClick={again}>
        Draw it again
      </button>
    </div>
  );
}
