/** The choice of masks: the confidence map, two masks compared, or one mask. */

import type { Masks } from "../layers";
import { viewsOf, type Action, type SceneView, type View } from "../state";

const LABELS: Record<View, string> = { shares: "Confidence", pair: "Compare", one: "One" };

interface Props {
  masks: Masks;
  sceneView: SceneView;
  dispatch: (action: Action) => void;
}

export function Choice({ masks, sceneView, dispatch }: Props) {
  return (
    <div class="masks-choice">
      <fieldset class="picture-choice masks-views">
        <legend class="sr-only">What is shown</legend>
        {viewsOf(masks).map((view) => (
          <label key={view}>
            <input
              type="radio"
              name="masks-view"
              value={view}
              checked={sceneView.view === view}
              onChange={() => dispatch({ type: "view", view })}
            />
            <span>{LABELS[view]}</span>
          </label>
        ))}
      </fieldset>
      <div class="masks-which">
        {sceneView.view === "pair" && (
          <>
            <Which label="A" masks={masks} value={sceneView.a} onPick={(id) => dispatch({ type: "a", id })} />
            <Which label="B" masks={masks} value={sceneView.b} onPick={(id) => dispatch({ type: "b", id })} />
            <button type="button" class="btn btn-small" onClick={() => dispatch({ type: "swap" })}>
              Swap A and B
            </button>
          </>
        )}
        {sceneView.view === "one" && (
          <Which label="Mask" masks={masks} value={sceneView.one} onPick={(id) => dispatch({ type: "one", id })} />
        )}
      </div>
    </div>
  );
}

function Which({
  label,
  masks,
  value,
  onPick,
}: {
  label: string;
  masks: Masks;
  value: string;
  onPick: (id: string) => void;
}) {
  return (
    <label class="masks-pick">
      <span>{label}</span>
      <select value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        {masks.layers.map(({ id, name, mask }) => (
          <option key={id} value={id} selected={id === value}>
            {name} ({mask.size.toLocaleString("en")})
          </option>
        ))}
      </select>
    </label>
  );
}
