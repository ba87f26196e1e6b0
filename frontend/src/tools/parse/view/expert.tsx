/** The whole form on one page, for experts. The editor is loaded only here. */

import { useEffect, useState } from "preact/hooks";
import { remarkOf } from "../texts";
import type { Payload } from "../payload";
import { mayAnswer } from "../state";
import type { FormEditorProps } from "../form_editor/editor";
import { useView } from "./page";
import { Context } from "./step";
import { Leave, WayButton } from "./ways";

interface Loaded {
  FormEditor: (props: FormEditorProps) => preact.JSX.Element;
  schema: unknown;
}

export function Expert({ payload }: { payload: Payload }) {
  const { page, state } = useView();
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [failed, setFailed] = useState(false);
  const [sound, setSound] = useState<boolean | null>(null);
  const load = (): void => {
    setFailed(false);
    Promise.all([
      import("../form_editor/editor"),
      fetch(page.schemaUrl).then((answer) =>
        answer.ok ? (answer.json() as Promise<unknown>) : Promise.reject(new Error(String(answer.status))),
      ),
    ])
      .then(([{ FormEditor }, schema]) => setLoaded({ FormEditor, schema }))
      .catch(() => setFailed(true));
  };
  useEffect(load, []);
  const busy = !mayAnswer(state);
  const { dispatch } = page.store;
  return (
    <div class="parse parse-expert" data-parse data-expert data-assignment={state.task?.assignment}>
      <Context lines={payload.context} />
      {failed && (
        <p class="notice notice-bad" role="alert">
          The editor did not load.{" "}
          <button type="button" class="btn btn-small" onClick={load}>
            Try again
          </button>
        </p>
      )}
      {!loaded && !failed && <p class="muted">Getting the editor …</p>}
      {loaded && (
        <loaded.FormEditor
          tokens={payload.tokens}
          form={state.form}
          schema={loaded.schema}
          check={(form) => page.check(payload.text, form)}
          onForm={(form) => dispatch({ type: "form", form })}
          onSound={setSound}
        />
      )}
      <div class="expert-bar card">
        <p class="ways-remark" data-remark>
          {remarkOf(state)}
        </p>
        <div class="expert-ways">
          <button
            type="button"
            class="btn btn-primary btn-next"
            data-submit
            aria-disabled={busy || sound !== true}
            onClick={() => dispatch({ type: "give_form", isSound: sound === true })}
          >
            {state.sending.is === "idle" ? "Submit" : "Sending …"}
          </button>
          <span class="ways-gap" />
          <WayButton
            way="unknown"
            isArmed={state.armed === "unknown"}
            busy={busy}
            onPress={() => dispatch({ type: "way", way: "unknown" })}
          />
          <Leave />
        </div>
      </div>
    </div>
  );
}
