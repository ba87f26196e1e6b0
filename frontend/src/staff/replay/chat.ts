/** Turns the log into chat lines: what was said, asked, answered and done. Pure. */

import { money } from "../../work/formats";
import { changesOf } from "./moment";
import type { Corners, Event, From, Scoring } from "./payload";

export interface Line {
  /** The line belongs to the moment after this many events. */
  count: number;
  at_ms: number;
  from: From;
  /** `said` and `asked` are spoken, `answer` is a choice of the worker, `note` is an event. */
  kind: "said" | "asked" | "answer" | "note";
  text: string;
  /** The choices that were offered. */
  choices?: readonly string[];
}

const ENDS: Record<string, string> = {
  finished: "handed in",
  left: "the worker left",
  expired: "the worker's time ran out",
  agent_lost: "the agent was lost",
  staff: "ended by staff",
};

export function linesOf(events: readonly Event[], times: readonly number[]): Line[] {
  const lines: Line[] = [];
  const known: Known = { asks: new Map(), questions: new Map() };
  /** Block changes of one sender in a row become one line. Poses in between do not end it. */
  let run: { line: Line; count: number } | null = null;
  events.forEach((event, place) => {
    if (event.type === "pose") return;
    const at = { count: place + 1, at_ms: times[place] ?? 0, from: event.from };
    const changed = changesOf(event).length;
    if (changed > 0) {
      if (run?.line.from === event.from) {
        run.count += changed;
        run.line.text = blocksText(run.count);
      } else {
        run = { line: { ...at, kind: "note", text: blocksText(changed) }, count: changed };
        lines.push(run.line);
      }
      return;
    }
    run = null;
    const said = lineOf(event, known);
    if (said) lines.push({ ...at, ...said });
  });
  return lines;
}

/** Questions whose answers are numbers, so that a choice can be shown in words. */
interface Known {
  asks: Map<string, readonly string[]>;
  questions: Map<string, readonly string[]>;
}

type Said = Pick<Line, "kind" | "text" | "choices">;

function lineOf(event: Event, known: Known): Said | null {
  switch (event.type) {
    case "command":
    case "say":
      return { kind: "said", text: event.body.text };
    case "ask":
      known.asks.set(event.body.question, event.body.choices);
      return { kind: "asked", text: event.body.text, choices: event.body.choices };
    case "choose":
      return { kind: "answer", text: chosen(known.asks.get(event.body.question), event.body.choice) };
    case "question": {
      const choices = event.body.choices.map(({ label }) => label);
      known.questions.set(`${event.body.command} ${event.body.node}`, choices);
      return { kind: "asked", text: event.body.ask, choices };
    }
    case "mark": {
      const label = chosen(known.questions.get(`${event.body.command} ${event.body.node}`), event.body.choice);
      return { kind: "answer", text: event.body.text ? `${label}: “${event.body.text}”` : label };
    }
    default: {
      const text = noteOf(event);
      return text === null ? null : { kind: "note", text };
    }
  }
}

function noteOf(event: Event): string | null {
  switch (event.type) {
    case "start":
      return "started the clock";
    case "stop":
      return "said stop";
    case "back":
      return "went back one question";
    case "finish":
      return "handed the session in";
    case "reflect": {
      const { usability, performance, feedback } = event.body;
      return `usability ${usability} of 7, own performance ${performance} of 5${feedback ? `: “${feedback}”` : ""}`;
    }
    case "status":
      return event.body.reason ? `${event.body.state}: ${event.body.reason}` : event.body.state;
    case "parse":
      return `understood: ${event.body.words}`;
    case "objects": {
      const { phrase, voxels } = event.body;
      return voxels.length === 0 ? `found nothing for “${phrase}”` : `took “${phrase}” for ${blocks(voxels.length)}`;
    }
    case "point":
      return `pointed at ${cornersText(event.body.box)}`;
    case "outcome":
      return `outcome: ${event.body.outcome}`;
    case "score":
      return `scored ${scoreText(event.body)}`;
    case "may_finish":
      return event.body.allowed ? "may be handed in now" : "may not be handed in any more";
    case "peer":
      return `the ${event.body.who} ${event.body.state === "here" ? "came" : "went away"}`;
    case "prompt":
      return `to improvise on: ${event.body.text}`;
    case "closed":
      return `over: ${ENDS[event.body.reason] ?? event.body.reason}`;
    default:
      return null;
  }
}

function chosen(choices: readonly string[] | undefined, choice: number): string {
  return choices?.[choice] ?? `choice ${choice + 1}`;
}

function blocks(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "block" : "blocks"}`;
}

function blocksText(count: number): string {
  return `changed ${blocks(count)}`;
}

/** `6.4 of 10, amber, expected bonus $1.23; did not count: “You said this before.”` */
function scoreText({ score, colour, bonus, counted, advice }: Scoring): string {
  const stands = [`${score.toFixed(1)} of 10`, colour, ...(bonus ? [`expected bonus ${money(bonus)}`] : [])].join(", ");
  return [stands, ...(counted ? [] : ["did not count"])].join("; ") + (advice ? `: “${advice}”` : "");
}

function cornersText([a, b]: Corners): string {
  return a.join() === b.join() ? `(${a.join(", ")})` : `(${a.join(", ")}) to (${b.join(", ")})`;
}

/** `1:05`. */
export function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
