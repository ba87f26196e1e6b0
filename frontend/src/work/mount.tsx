/** Starts a tool on the page that the server made: storage, state, instructions, keys and the line in the header. */

import { render, type ComponentChild, type ComponentChildren, type JSX } from "preact";
import { focusOf, type Focus } from "./focus";
import { isAgainKey } from "./view/again";
import { openApi, type ApiClient } from "./http";
import { mountInstructions } from "./instructions";
import { toggleKeys, type ProgressAction, type WorkProgress } from "./progress";
import { mustPractise, READ, type CoachStep } from "./practice";
import { practicePageOf } from "./practice_page";
import { handIn, type HandIn, type QuizPlace } from "./quiz";
import { browserStorage, memoryStorage, type BrowserStorage } from "./storage";
import { createStore, type Store } from "./store";
import type { View } from "./view/live";
import { Status } from "./view/status";

/** The actions of the page of every tool. */
export interface ToolPage<S, A, Q extends QuizPlace = QuizPlace> {
  store: Store<S, A>;
  /** The question, where the task belongs to a quiz. */
  quiz: Q | null;
  openInstructions: () => void;
  /** Where a paused or blocked worker asks for another look, if there is such a place. */
  appealUrl: string | null;
}

/** The inputs from which a tool makes its session. */
export interface ToolContext {
  client: ApiClient;
  token: string;
  /** Kept for this worker in this project; for one page only where it holds a question of a quiz. */
  storage: BrowserStorage;
  /** The name under which `storage` is kept. */
  storageKey: string;
  /** The data attributes of the tool's element. */
  data: DOMStringMap;
  /** The pages of the instructions dialog. */
  instructionPages: () => readonly HTMLElement[];
  /** Sends the answer to a question of a quiz, or to a practice task. */
  handIn: HandIn;
}

/** A tool that is ready to be shown. */
export interface Tool<S, P, C> {
  page: P;
  /** Renders its children with the present state, again after each change. */
  Live: (props: { page: P; children: (view: View<P, S>) => ComponentChildren }) => JSX.Element;
  app: ComponentChild;
  /** Replaces the usual line in the header. */
  header?: ComponentChild;
  /** Server time in ms. */
  serverNow: () => number;
  /** Gives the focus to what the worker does next. */
  focusTask: () => void;
  /** The command of a key press; null leaves the key to the browser. */
  commandOf: (event: KeyboardEvent, focus: Focus) => C | null;
  /** Whether the command runs again while its key is held. */
  mayRepeat: (command: C) => boolean;
  run: (command: C) => void;
  /** Shows the last submitted task again, or leaves it again. */
  lookAgain?: () => void;
  /** Called after each change of state, except when a dialog has just closed: then the task gets the focus. */
  onChange?: (now: S, before: S) => void;
  /** The steps that the coach of a practice task asks for, one after the other. */
  coach?: readonly CoachStep<S>[];
  /** Called once everything is in the page. */
  start?: () => void;
}

export interface ToolDefinition<S, A, Q extends QuizPlace, P, C> {
  /** The tool's element has the attribute `data-NAME-app`. */
  name: string;
  reduce: (state: S, action: A | ProgressAction) => S;
  initialState: (keysOn: boolean) => S;
  /** The question that the page holds, or null where it is no quiz. */
  quizOf?: (data: DOMStringMap) => Q | null;
  create: (page: ToolPage<S, A | ProgressAction, Q>, context: ToolContext) => Tool<S, P, C>;
}

/** Requests of a staff page that tries a task: they are let in by the session, so they carry the token of a form. */
const asStaff =
  (csrf: string): typeof fetch =>
  (address, options) => {
    const headers = new Headers(options?.headers);
    headers.set("X-CSRFToken", csrf);
    return fetch(address, { ...options, headers });
  };

/** Starts the tool if its element is in the page. */
export function mountTool<S extends WorkProgress<unknown>, A, Q extends QuizPlace, P, C>(
  definition: ToolDefinition<S, A, Q, P, C>,
): void {
  const place = document.querySelector<HTMLElement>(`[data-${definition.name}-app]`);
  if (place) start(place, definition);
}

function start<S extends WorkProgress<unknown>, A, Q extends QuizPlace, P, C>(
  place: HTMLElement,
  { reduce, initialState, quizOf, create }: ToolDefinition<S, A, Q, P, C>,
): void {
  const { api = "/api/v1/work/", token = "", storageKey = "crosswalk", appealUrl } = place.dataset;
  const kept = browserStorage(storageKey);
  if (mustPractise(place.dataset, kept, location.search)) {
    location.replace(place.dataset.practiceUrl ?? "");
    return;
  }
  const quiz = quizOf?.(place.dataset) ?? null;
  const storage = quiz ? memoryStorage() : kept;
  const store = createStore(reduce, initialState(storage.read<boolean>("keys") ?? true));
  const dialog = document.querySelector<HTMLDialogElement>("dialog[data-instructions]");
  // The quiz comes after its pages of instructions, and practice in place of them: they need not open by themselves.
  if (quiz) storage.write(READ, dialog?.dataset.version || true);
  const openInstructions = (): void => instructions?.open();
  const client = openApi(api, token, place.dataset.csrf ? asStaff(place.dataset.csrf) : undefined);
  const practice = practicePageOf(place, client, kept, dialog?.dataset.version ?? "");
  const tool = create(
    { store, quiz, openInstructions, appealUrl: appealUrl || null },
    {
      client,
      token,
      storage,
      storageKey,
      data: place.dataset,
      instructionPages: () => [...(dialog?.querySelectorAll<HTMLElement>("[data-page]") ?? [])],
      handIn: practice?.handIn ?? handIn,
    },
  );
  const { page, Live, focusTask } = tool;
  const instructions = dialog && mountInstructions(dialog, storage, focusTask);

  store.subscribe((now, before) => {
    if (now.keysOn !== before.keysOn) storage.write("keys", now.keysOn);
    // A closed dialog gives the focus back to the work.
    if (before.dialog && !now.dialog) queueMicrotask(focusTask);
    else tool.onChange?.(now, before);
  });
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (event.key === "F1") {
      event.preventDefault();
      return openInstructions();
    }
    if (place.hidden) return;
    const focus = focusOf(event.target);
    if (tool.lookAgain && isAgainKey(event, focus) && store.get().keysOn && store.get().again !== "no") {
      event.preventDefault();
      if (!event.repeat) tool.lookAgain();
      return;
    }
    const command = tool.commandOf(event, focus);
    if (!command) return;
    event.preventDefault();
    if (!event.repeat || tool.mayRepeat(command)) tool.run(command);
  });

  // Before the task, so that its picture is drawn at its size.
  practice?.mount(tool.coach ?? [], store, (at) => instructions?.open(at));
  place.replaceChildren();
  render(tool.app, place);
  const header = document.querySelector("[data-work-status]");
  const usual = ({ state }: View<P, S>) => (
    <Status
      progress={state}
      quiz={quiz}
      serverNow={tool.serverNow}
      onKeys={() => toggleKeys(store)}
      onInstructions={openInstructions}
    />
  );
  if (header) render(<Live page={page}>{(view) => tool.header ?? usual(view)}</Live>, header);
  tool.start?.();
}
