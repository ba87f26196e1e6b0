/** The list of keys, and the dialog that puts an answer or the task into a category. */

import { useEffect, useRef, useState } from "preact/hooks";
import { Modal } from "../../../work/view/dialogs";
import { REVIEW_HELP } from "../keys";
import type { Category } from "../payload";
import { workerAnswerAt } from "../state";
import { useReview } from "./context";
import { KeyList } from "../../../work/view/key_list";

export function KeysDialog() {
  const { page } = useReview();
  const close = (): void => page.store.dispatch({ type: "dialog", dialog: null });
  return (
    <Modal title="Keys" onClose={close}>
      <KeyList help={REVIEW_HELP} />
      <div class="row row-end">
        <button type="button" class="btn btn-primary" onClick={close}>
          Close
        </button>
      </div>
    </Modal>
  );
}

/** One answer can have the reasons for a human error; a task can have both kinds. */
function fitting(categories: readonly Category[], isAnswer: boolean): Category[] {
  return categories.filter((category) => !isAnswer || category.taxonomy === "human_error");
}

const TITLES: Readonly<Record<Category["taxonomy"], string>> = {
  human_error: "Why a judgement was wrong or a human attempt failed",
  agent_failure: "How the agent failed",
};

export function TagDialog() {
  const { page, state } = useReview();
  const { data } = page;
  const [of, setOf] = useState(workerAnswerAt(data, state.chosen)?.id ?? "");
  const [category, setCategory] = useState<number | null>(null);
  const note = useRef<HTMLInputElement>(null);
  const first = useRef<HTMLSelectElement>(null);
  useEffect(() => first.current?.focus(), []);
  const close = (): void => page.store.dispatch({ type: "dialog", dialog: null });
  const offered = fitting(data.categories, of !== "");
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (category === null) return;
    await page.tag(category, of, note.current?.value ?? "");
    if (!page.store.get().tagTrouble) close();
  };
  return (
    <Modal title="Put it into a category" onClose={close}>
      <form class="form" onSubmit={(event) => void send(event)}>
        <label class="field">
          <span>What</span>
          <select
            ref={first}
            value={of}
            onChange={(event) => {
              setOf(event.currentTarget.value);
              setCategory(null);
            }}
          >
            <option value="">the task: what the video shows</option>
            {data.answers.map((said) => (
              <option key={said.id} value={said.id}>
                answer {said.number}, of {said.name}
              </option>
            ))}
          </select>
        </label>
        {(["agent_failure", "human_error"] as const).map((taxonomy) => {
          const rows = offered.filter((one) => one.taxonomy === taxonomy);
          return (
            rows.length > 0 && (
              <fieldset key={taxonomy}>
                <legend>{TITLES[taxonomy]}</legend>
                <div class="tag-choices">
                  {rows.map((one) => (
                    <label class="check" key={one.id} title={one.description}>
                      <input
                        type="radio"
                        name="category"
                        required
                        checked={category === one.id}
                        onChange={() => setCategory(one.id)}
                      />{" "}
                      {one.label}
                      {one.group && <span class="muted small">{one.group}</span>}
                    </label>
                  ))}
                </div>
              </fieldset>
            )
          );
        })}
        {category !== null && <p class="help">{data.categories.find((one) => one.id === category)?.description}</p>}
        <label class="field">
          <span>Note (optional)</span>
          <input type="text" ref={note} maxLength={1000} autocomplete="off" />
        </label>
        <p class="errorlist" role="alert">
          {state.tagTrouble}
        </p>
        <div class="row row-end">
          <button type="button" class="btn" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="btn btn-primary">
            Tag it
          </button>
        </div>
      </form>
    </Modal>
  );
}
