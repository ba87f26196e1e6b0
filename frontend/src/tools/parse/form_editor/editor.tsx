/** A whole form on one page: tree and JSON in step, faults while typing, the sentence and the outline beside. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Checked } from "../payload";
import type { Runs } from "../spans";
import { Outline } from "../view/outline";
import { Tokens } from "../view/tokens";
import { at, nearest, withAt } from "./pointers";
import { Grammar, isObject, type Json, type Schema } from "./grammar";
import { runsOfSpan, spanOf } from "./spans";
import { Place, TreeContext } from "./tree";

export interface FormEditorProps {
  tokens: readonly string[];
  /** The first value. Later changes belong to the editor. */
  form: unknown;
  schema: unknown;
  check: (form: unknown) => Promise<Checked>;
  onForm: (form: unknown) => void;
  /** Whether the current form has no faults; null while it is not known. */
  onSound: (isSound: boolean | null) => void;
}

const CHECK_AFTER_MS = 350;
const AGAIN_AFTER_MS = 3_000;
const NO_RUNS: Runs = [];

export function FormEditor({ tokens, form: given, schema, check, onForm, onSound }: FormEditorProps) {
  const grammar = useMemo(() => new Grammar(schema as Schema), [schema]);
  const [form, setForm] = useState<Json>(() => beginning(given, grammar));
  const [checked, setChecked] = useState<Checked | null>(null);
  const [failed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const [marking, setMarking] = useState<string | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const [lit, setLit] = useState<Runs>(NO_RUNS);
  const [tab, setTab] = useState<"tree" | "json">("tree");
  const [isJson, setIsJson] = useState(true);
  const tree = useRef<HTMLDivElement>(null);

  const change = (changed: Json): void => {
    setForm(changed);
    onForm(changed);
    // The result of the last check does not hold for the changed form.
    onSound(null);
  };
  useEffect(() => {
    let isOver = false;
    let timer = setTimeout(() => {
      // Before the first choice there is no form; its faults are those of an empty one.
      check(isObject(form) ? form : {})
        .then((answer) => {
          if (isOver) return;
          setChecked(answer);
          setFailed(false);
          onSound(answer.faults.length === 0);
        })
        .catch(() => {
          if (isOver) return;
          setFailed(true);
          timer = setTimeout(() => setAttempt(attempt + 1), AGAIN_AFTER_MS);
        });
    }, CHECK_AFTER_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [form, attempt]);

  const goTo = (path: string): void => {
    setTab("tree");
    requestAnimationFrame(() => {
      const find = (one: string): HTMLElement | null =>
        tree.current?.querySelector(`[data-path="${CSS.escape(one)}"]`) ?? null;
      const place = find(nearest(path, (one) => find(one) !== null));
      const control = place?.querySelector<HTMLElement>(
        ":scope > .place-head select, :scope > .place-head input, :scope > .place-head button",
      );
      place?.scrollIntoView({ block: "center" });
      (control ?? place)?.focus({ preventScroll: true });
    });
  };
  const faults = checked?.faults ?? [];
  const byPlace = useMemo(() => new Map(faults.map(({ path, reason }) => [path, reason])), [checked]);
  const isThere = marking !== null && at(form, marking) !== undefined;
  const runs = isThere ? runsOfSpan(at(form, marking), tokens.length) : pointedRuns(form, pointed, tokens.length);
  return (
    // Enter in a field must not submit the form of the page.
    <div
      class="editor"
      data-form-editor-root
      onKeyDown={(event) => event.key === "Enter" && event.target instanceof HTMLInputElement && event.preventDefault()}
    >
      <section class="command card" aria-label="The command">
        <p class="part-head">{isThere ? "Mark the words, then press the button in the tree again" : "The command"}</p>
        <Tokens
          tokens={tokens}
          runs={runs}
          lit={lit}
          isOn={isThere}
          label={isThere ? "Mark the words" : "The words of the command"}
          onRuns={(marked) => marking !== null && change(withAt(form, marking, spanOf(marked)))}
        />
      </section>
      <section class="editor-form card" aria-label="The form">
        <div class="editor-tabs" role="group" aria-label="Show the form as">
          {(["tree", "json"] as const).map((one) => (
            <button
              type="button"
              key={one}
              class="btn btn-small"
              aria-pressed={tab === one}
              data-tab={one}
              onClick={() => setTab(one)}
            >
              {one === "tree" ? "Tree" : "JSON"}
            </button>
          ))}
        </div>
        {tab === "tree" ? (
          <div class="tree" ref={tree}>
            <TreeContext.Provider
              value={{
                grammar,
                tokens,
                marking,
                faults: byPlace,
                set: (path, value) => change(withAt(form, path, value)),
                mark: setMarking,
                point: setPointed,
              }}
            >
              <Place path="" schema={grammar.root} value={form} label="the command asks for" name="" onRemove={null} />
            </TreeContext.Provider>
          </div>
        ) : (
          <RawJson
            form={form}
            onForm={(typed) => {
              setIsJson(true);
              change(typed);
            }}
            onBroken={() => {
              setIsJson(false);
              onSound(null);
            }}
          />
        )}
      </section>
      <section class="editor-says card" aria-label="What it says">
        <h2 class="part-head">In words</h2>
        <p class="so-far-words" dir="auto" data-in-words>
          {checked?.words || (
            <span class="muted">{checked ? "It reads once its faults are gone." : "Reading the form …"}</span>
          )}
        </p>
        <Outline tokens={tokens} lines={checked?.outline ?? []} onLit={setLit} onGo={goTo} />
        <h2 class="part-head" id="faults-head">
          {failed
            ? "Not checked: no answer from the server. Trying again."
            : faults.length
              ? `${faults.length} to put right`
              : checked
                ? "✓ Nothing wrong"
                : "Checking …"}
        </h2>
        {!isJson && <p class="place-fault">The JSON does not read; the tree has what read last.</p>}
        <ol class="faults" aria-labelledby="faults-head" data-faults={checked ? faults.length : ""}>
          {faults.map(({ path, reason }, index) => (
            <li key={`${path}${index}`}>
              <button type="button" class="fault" data-fault={path} onClick={() => goTo(path)}>
                <code>{path || "/"}</code> <bdi>{reason}</bdi>
              </button>
            </li>
          ))}
        </ol>
        {checked && checked.changes.length > 0 && (
          <div class="changes">
            <h2 class="part-head">It is read a little differently</h2>
            <ul>
              {checked.changes.map(({ path, reason }, index) => (
                <li key={index}>
                  <code>{path || "/"}</code> {reason}
                </li>
              ))}
            </ul>
            <button type="button" class="btn btn-small" data-upgrade onClick={() => change(checked.form as Json)}>
              Write it as it is read
            </button>
          </div>
        )}
      </section>
    </div>
  );
}

/** Without a form to start with, the first choice is what the command asks for. */
function beginning(given: unknown, grammar: Grammar): Json {
  const isNothing =
    given === null || given === undefined || (typeof given === "object" && Object.keys(given).length === 0);
  return isNothing ? grammar.blank(grammar.root) : (given as Json);
}

/** The words of the focused place. */
function pointedRuns(form: Json, pointed: string | null, count: number): Runs {
  return pointed === null ? NO_RUNS : runsOfSpan(at(form, pointed), count);
}

function RawJson({ form, onForm, onBroken }: { form: Json; onForm: (form: Json) => void; onBroken: () => void }) {
  const [text, setText] = useState(() => JSON.stringify(form, null, 2));
  const [fault, setFault] = useState("");
  const mine = useRef(form);
  useEffect(() => {
    // Changed elsewhere: words were marked above, or the form was rewritten.
    if (mine.current !== form) setText(JSON.stringify(form, null, 2));
    mine.current = form;
  }, [form]);
  const type = (typed: string): void => {
    setText(typed);
    try {
      const read = JSON.parse(typed) as Json;
      mine.current = read;
      setFault("");
      onForm(read);
    } catch (error) {
      setFault(error instanceof Error ? error.message : "This is no JSON.");
      onBroken();
    }
  };
  return (
    <div class="raw">
      <textarea
        class="raw-text"
        aria-label="The form as JSON"
        spellcheck={false}
        data-raw
        value={text}
        aria-invalid={fault !== ""}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <p class="place-fault" role="status">
        {fault}
      </p>
    </div>
  );
}
