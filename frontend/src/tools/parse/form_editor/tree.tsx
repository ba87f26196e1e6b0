/** The form as a tree of controls, made from the schema: keys with values, lists with members, words to mark. */

import { createContext } from "preact";
import { useContext, useId, useRef } from "preact/hooks";
import { said } from "../spans";
import { child } from "./pointers";
import { isObject, type Grammar, type Json, type JsonObject, type Schema } from "./grammar";
import { runsOfSpan } from "./spans";

export interface Tree {
  grammar: Grammar;
  tokens: readonly string[];
  /** The place whose words are being marked. */
  marking: string | null;
  /** Messages by place. */
  faults: ReadonlyMap<string, string>;
  set: (path: string, value: Json | undefined) => void;
  mark: (path: string | null) => void;
  point: (path: string | null) => void;
}

export const TreeContext = createContext<Tree | null>(null);

function useTree(): Tree {
  const tree = useContext(TreeContext);
  if (!tree) throw new Error("outside of the editor");
  return tree;
}

interface PlaceProps {
  path: string;
  schema: Schema;
  value: Json;
  label: string;
  /** The key in the form; "" for the whole form. */
  name: string;
  /** Removes the place; null if it is required. */
  onRemove: (() => void) | null;
}

/** One place: its name, the choice of its shape, its value, and its fault. */
export function Place({ path, schema, value, label, name, onRemove }: PlaceProps) {
  const { grammar, faults, set, point } = useTree();
  const id = useId();
  const shapes = grammar.shapes(schema);
  /** The last choice, because an empty value may fit several shapes. */
  const chosen = useRef<{ value: Json; index: number } | null>(null);
  const index =
    shapes.length === 1 ? 0 : chosen.current?.value === value ? chosen.current.index : grammar.shapeOf(shapes, value);
  const shape = index === null ? null : (shapes[index] ?? null);
  const fault = faults.get(path);
  const isLeaf =
    shape === null || !["object", "array"].includes(grammar.follow(shape).type ?? "") || grammar.isSpan(shape);
  const wrong = fault ? { "aria-invalid": true, "aria-describedby": `${id}-fault` } : {};
  return (
    <div
      class={`place ${isLeaf ? "is-leaf" : ""} ${fault ? "is-faulty" : ""}`}
      data-path={path}
      role="group"
      aria-label={label}
      tabIndex={-1}
      onFocusIn={(event) => {
        // The innermost place gets the highlight.
        event.stopPropagation();
        point(path);
      }}
    >
      <div class="place-head">
        <span class="place-label">
          {label} {name && <code>{name}</code>}
        </span>
        <span class="place-control">
          {shapes.length > 1 && (
            <ShapeSelect
              id={id}
              label={label}
              shapes={shapes}
              index={index}
              value={value}
              wrong={wrong}
              onValue={(fresh, number) => {
                chosen.current = { value: fresh, index: number };
                set(path, fresh);
              }}
            />
          )}
          {isLeaf && shape && (
            <Leaf path={path} shape={shape} value={value} label={label} isOnly={shapes.length === 1} wrong={wrong} />
          )}
          {onRemove && (
            <button
              type="button"
              class="btn btn-quiet btn-small place-remove"
              aria-label={`Remove ${label}`}
              data-remove={path}
              onClick={onRemove}
            >
              ✕
            </button>
          )}
        </span>
      </div>
      {fault && (
        <p class="place-fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
      {shape &&
        !isLeaf &&
        (isObject(value) ? (
          <Members path={path} shape={shape} value={value} />
        ) : (
          Array.isArray(value) && <Items path={path} shape={shape} value={value as readonly Json[]} />
        ))}
      {shape && !isLeaf && !isObject(value) && !Array.isArray(value) && (
        <p class="place-below">
          <button type="button" class="btn btn-small" onClick={() => set(path, grammar.blank(shape))}>
            Begin
          </button>
        </p>
      )}
    </div>
  );
}

interface ShapeSelectProps {
  id: string;
  label: string;
  shapes: readonly Schema[];
  index: number | null;
  value: Json;
  wrong: object;
  onValue: (value: Json, index: number) => void;
}

/** A shape that is a list of words is chosen together with its word: `INDEX:WORD`. */
function ShapeSelect({ id, label, shapes, index, value, wrong, onValue }: ShapeSelectProps) {
  const { grammar } = useTree();
  const words = (shape: Schema): readonly unknown[] => grammar.follow(shape).enum ?? [];
  const word = typeof value === "object" ? "" : String(value);
  const present = index === null ? "" : words(shapes[index] ?? {}).length ? `${index}:${word}` : String(index);
  const choose = (chosen: string): void => {
    const [number = "", word] = chosen.split(":");
    const shape = shapes[Number(number)];
    if (chosen === "" || !shape) return;
    onValue(word === undefined ? grammar.reshaped(value, shape) : word, Number(number));
  };
  return (
    <select
      id={id}
      aria-label={`What ${label} is`}
      data-shape
      value={present}
      {...wrong}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {index === null && <option value="">choose …</option>}
      {shapes.map((shape, number) => {
        const options = words(shape);
        if (options.length === 0) {
          return (
            <option key={number} value={String(number)}>
              {grammar.nameOf(shape)}
            </option>
          );
        }
        return options.map((word) => (
          <option key={`${number}:${String(word)}`} value={`${number}:${String(word)}`}>
            {String(word)}
          </option>
        ));
      })}
    </select>
  );
}

interface LeafProps {
  path: string;
  shape: Schema;
  value: Json;
  label: string;
  isOnly: boolean;
  wrong: object;
}

function Leaf({ path, shape, value, label, isOnly, wrong }: LeafProps) {
  const { grammar, tokens, marking, set, mark } = useTree();
  const schema = grammar.follow(shape);
  if (grammar.isSpan(shape)) {
    const words = said(tokens, runsOfSpan(value, tokens.length));
    const isMarking = marking === path;
    return (
      <button
        type="button"
        class={`btn btn-small btn-mark-words ${isMarking ? "is-marking" : ""}`}
        aria-pressed={isMarking}
        aria-label={`Mark the words of ${label}: ${words || "none yet"}`}
        data-mark={path}
        onClick={() => mark(isMarking ? null : path)}
      >
        {words ? <bdi>“{words}”</bdi> : "mark words"}
      </button>
    );
  }
  if ("const" in schema) return isOnly ? <code>{String(schema.const)}</code> : null;
  if (schema.enum) {
    if (!isOnly) return null;
    return (
      <select
        aria-label={label}
        data-enum
        value={typeof value === "string" ? value : ""}
        {...wrong}
        onChange={(event) => set(path, event.currentTarget.value)}
      >
        {!schema.enum.includes(value) && <option value="">choose …</option>}
        {schema.enum.map((one) => (
          <option key={String(one)} value={String(one)}>
            {String(one)}
          </option>
        ))}
      </select>
    );
  }
  if (schema.type === "string") {
    return (
      <input
        type="text"
        dir="auto"
        aria-label={label}
        maxLength={schema.maxLength ?? 200}
        value={typeof value === "string" ? value : ""}
        {...wrong}
        onInput={(event) => set(path, event.currentTarget.value)}
      />
    );
  }
  return <code>{JSON.stringify(value)}</code>;
}

function Members({ path, shape, value }: { path: string; shape: Schema; value: JsonObject }) {
  const { grammar, set } = useTree();
  const schema = grammar.follow(shape);
  const needed = new Set(schema.required ?? []);
  const addable = grammar.addable(shape, value);
  const known = Object.keys(schema.properties ?? {});
  const keys = Object.keys(value).sort((a, b) => (known.indexOf(a) + 1 || 999) - (known.indexOf(b) + 1 || 999));
  return (
    <div class="place-below">
      {keys.map((key) => {
        const kind = schema.properties?.[key];
        // The tag is not shown, because the shape was chosen by it.
        if (kind && "const" in kind && needed.has(key)) return null;
        const labelled = (kind && (kind.description ?? grammar.follow(kind).description)) || key.replaceAll("_", " ");
        return (
          <Place
            key={key}
            path={child(path, key)}
            schema={kind ?? {}}
            value={value[key] ?? null}
            label={labelled}
            name={key}
            onRemove={needed.has(key) ? null : () => set(child(path, key), undefined)}
          />
        );
      })}
      {addable.length > 0 && (
        <select
          class="place-add"
          aria-label="Add"
          data-add={path}
          value=""
          onChange={(event) =>
            event.currentTarget.value && set(path, grammar.withKey(shape, value, event.currentTarget.value))
          }
        >
          <option value="">+ add …</option>
          {addable.map((key) => {
            const kind = schema.properties?.[key] ?? {};
            const label = kind.description ?? grammar.follow(kind).description;
            return (
              <option key={key} value={key}>
                {label ? `${label} (${key})` : key}
              </option>
            );
          })}
        </select>
      )}
    </div>
  );
}

function Items({ path, shape, value }: { path: string; shape: Schema; value: readonly Json[] }) {
  const { grammar, set } = useTree();
  const schema = grammar.follow(shape);
  const items = schema.items || {};
  const least = schema.minItems ?? 0;
  return (
    <div class="place-below">
      {value.map((item, index) => (
        <Place
          key={index}
          path={child(path, index)}
          schema={items}
          value={item}
          label={`${index + 1}.`}
          name=""
          onRemove={value.length > least ? () => set(child(path, index), undefined) : null}
        />
      ))}
      {value.length < (schema.maxItems ?? Infinity) && (
        <button
          type="button"
          class="btn btn-small"
          data-add-item={path}
          onClick={() => set(path, [...value, grammar.blank(items)])}
        >
          + one more
        </button>
      )}
    </div>
  );
}
