/** The review page: the video with its player, and the effect of each command. */

import type { Run } from "../../tools/marker/commands";
import { Player } from "../../tools/marker/player";
import type { Action as MarkerAction, MarkerState } from "../../tools/marker/state";
import { Surface } from "../../tools/marker/surface";
import { Unreachable } from "../../work/http";
import type { Store } from "../../work/store";
import { frame } from "../../tools/marker/units";
import { Refused, type ReviewApi, type Tagged } from "./api";
import type { ReviewCommand } from "./keys";
import type { Finding, ReviewData } from "./payload";
import { actsOf, answerAt, missing, type Action, type ReviewState } from "./state";

/** The elements that commands use. */
export interface Places {
  root: HTMLElement;
  canvas: HTMLCanvasElement;
  decoders: HTMLElement;
  region: HTMLElement;
  reason(): HTMLTextAreaElement | null;
}

export class ReviewPage {
  player: Player | null = null;
  private places: Places | null = null;

  constructor(
    readonly data: ReviewData,
    readonly store: Store<ReviewState, Action>,
    readonly markerStore: Store<MarkerState, MarkerAction>,
    private readonly api: ReviewApi,
    private readonly go: (address: string) => void,
    /** Makes the runner of the marker's commands for this page. */
    readonly markerRunner: (page: ReviewPage) => Run,
  ) {}

  get run(): Run {
    return this.markerRunner(this);
  }

  /** Called when the page is rendered: loads the video. */
  open(places: Places): void {
    this.places = places;
    const { markable, video } = this.data.payload;
    try {
      this.player = new Player(video, markable.first);
    } catch {
      this.markerStore.dispatch({ type: "video", is: "broken" });
      return;
    }
    const { player } = this;
    places.decoders.append(player.video);
    this.markerStore.dispatch({
      type: "task",
      task: {
        assignment: this.data.task.key,
        frames: video.frames,
        first: frame(markable.first),
        last: frame(markable.last),
        never: frame(markable.never),
      },
      position: player.at,
      marker: null,
      lease_ends: 0,
    });
    const { dispatch } = this.markerStore;
    player.attach(new Surface(places.canvas, places.root), {
      moved: (to) => dispatch({ type: "moved", to }),
      shown: (at) => dispatch({ type: "shown", at }),
      pending: () => dispatch({ type: "pending" }),
      rate: (rate) => dispatch({ type: "rate", rate }),
      ready: () => dispatch({ type: "video", is: "ready" }),
      broken: () => dispatch({ type: "video", is: "broken" }),
    });
    void player.load();
    this.focusVideo();
  }

  focusVideo(): void {
    this.places?.region.focus({ preventScroll: true });
  }

  do(command: ReviewCommand): void {
    const { store, data } = this;
    switch (command.do) {
      case "keys":
        return store.dispatch({ type: "dialog", dialog: "keys" });
      case "tag":
        if (data.may_decide) store.dispatch({ type: "dialog", dialog: "tag" });
        return;
      case "choose":
        return this.choose(command.number);
      case "consensus":
        return this.choose(0);
      case "take":
        return this.take();
      case "act":
        if (!actsOf(data).includes(command.act)) return;
        store.dispatch({ type: "act", act: command.act });
        return this.places?.reason()?.focus();
      case "send":
        return void this.send();
      case "leave":
        return this.focusVideo();
      case "next":
        return this.go(data.next);
      case "place":
      case "never":
        if (!actsOf(data).includes("adjudicate")) return;
        store.dispatch({ type: "act", act: "adjudicate" });
        return this.run(command);
      default:
        return this.run(command);
    }
  }

  /** Goes to the frame of an answer. */
  choose(number: number): void {
    const kept = answerAt(this.data, number);
    if (!kept) return;
    this.store.dispatch({ type: "choose", number });
    if (typeof kept.frame === "number") this.run({ do: "to", frame: kept.frame });
  }

  /**
   * Takes the answer that was chosen last as the decision. Without one, or after marking by hand, the marker stays.
   * Then focuses the reason.
   */
  private take(): void {
    const { store, markerStore, data } = this;
    if (!data.may_decide) return;
    const kept = answerAt(data, store.get().chosen);
    const { marker } = markerStore.get();
    const isSame = kept && marker && marker.at === kept.frame && marker.outcome === kept.outcome;
    if (kept?.outcome && typeof kept.frame === "number" && !isSame && !this.wasMarkedSince) {
      this.do({ do: "act", act: "adjudicate" });
      this.run({ do: "to", frame: kept.frame });
      this.run({ do: "place", outcome: kept.outcome });
    }
    this.places?.reason()?.focus();
  }

  /** True if the marker was set by hand after the last answer was chosen. */
  private get wasMarkedSince(): boolean {
    const { marker, position } = this.markerStore.get();
    return (
      marker !== null && marker.at === position && marker.at !== answerAt(this.data, this.store.get().chosen)?.frame
    );
  }

  async send(): Promise<void> {
    const { store, markerStore, data } = this;
    const state = store.get();
    const { marker, asked } = markerStore.get();
    if (state.isSending || !data.may_decide) return;
    if (asked) return; // The exact picture is still loading. After that, another press finds a marker or a message.
    const fault = missing(state, marker !== null);
    if (fault) {
      store.dispatch({ type: "refused", trouble: { detail: "", faults: [fault] } });
      if (fault.pointer === "#/reason") this.places?.reason()?.focus();
      else this.focusVideo();
      return;
    }
    store.dispatch({ type: "sending" });
    try {
      const next = await this.api.decide({
        act: state.act,
        reason: state.reason,
        answer: state.act === "adjudicate" && marker ? { outcome: marker.outcome, frame: marker.at } : null,
        proposal: data.proposed?.id ?? null,
      });
      this.go(next);
    } catch (error) {
      store.dispatch({ type: "refused", trouble: troubleOf(error) });
    }
  }

  async tag(category: number, annotation: string, note: string): Promise<void> {
    await this.change(() => this.api.tag(category, annotation, note), "Tagged.");
  }

  async untag(found: Finding): Promise<void> {
    await this.change(() => this.api.untag(found.id), `${found.label} is removed.`);
  }

  private async change(ask: () => Promise<Tagged>, said: string): Promise<void> {
    try {
      const { findings, answers } = await ask();
      this.store.dispatch({ type: "tagged", findings, answers, said });
    } catch (error) {
      const { detail, faults } = troubleOf(error);
      this.store.dispatch({ type: "tag_refused", why: faults[0]?.detail ?? detail });
    }
  }
}

function troubleOf(error: unknown): { detail: string; faults: { pointer: string; detail: string }[] } {
  if (error instanceof Refused) return { detail: error.faults.length > 0 ? "" : error.detail, faults: error.faults };
  if (error instanceof Unreachable)
    return { detail: "No connection. What you wrote is kept here; send it again when you are back.", faults: [] };
  throw error;
}
