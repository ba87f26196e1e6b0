/** The page of a practice task: it sends answers to be compared, and shows the coach. */

import { render } from "preact";
import type { ApiClient } from "./http";
import {
  afterPractice,
  follow,
  hasPassed,
  NEW_COACH,
  notePassed,
  practiceHandIn,
  tryOnce,
  type CoachState,
  type CoachStep,
} from "./practice";
import type { HandIn } from "./quiz";
import type { BrowserStorage } from "./storage";
import { createStore, type Store } from "./store";
import { Coach } from "./view/coach";

export interface PracticePage {
  handIn: HandIn;
  /** Shows the coach, which follows the state of the tool. */
  mount<S>(
    steps: readonly CoachStep<S>[],
    store: Pick<Store<S, never>, "subscribe">,
    openInstructions: (page: number) => void,
  ): void;
}

/** Null where the page has no practice task. */
export function practicePageOf(
  place: HTMLElement,
  client: ApiClient,
  storage: BrowserStorage,
  instructionsVersion: string,
): PracticePage | null {
  const { practice: workUrl, practiceFirst } = place.dataset;
  const seat = document.querySelector("[data-coach]");
  if (workUrl === undefined || !seat) return null;
  const maySkip = practiceFirst === undefined || hasPassed(storage);
  const coach = createStore((_: CoachState, next: CoachState) => next, NEW_COACH);
  const onLeave = (): void => {
    notePassed(storage, instructionsVersion);
    location.assign(afterPractice(workUrl));
  };
  return {
    handIn: practiceHandIn(client, {
      right: () => {
        notePassed(storage, instructionsVersion);
        place.hidden = true;
        coach.dispatch({ ...coach.get(), hasPassed: true });
      },
      wrong: (why) => coach.dispatch(tryOnce(coach.get(), why)),
    }),
    mount(steps, store, onInstructions) {
      const says = steps.map((step) => step.say);
      const draw = (): void =>
        render(<Coach {...{ maySkip, onInstructions, onLeave }} coach={coach.get()} steps={says} />, seat);
      coach.subscribe(draw);
      store.subscribe((now, before) => coach.dispatch(follow(coach.get(), steps, now, before)));
      draw();
    },
  };
}
