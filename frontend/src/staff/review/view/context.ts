/** Gives every part of the review page its state. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ReviewPage } from "../page";
import type { ReviewState } from "../state";

interface View {
  page: ReviewPage;
  state: ReviewState;
}

export const ReviewContext = createContext<View | null>(null);

export function useReview(): View {
  const view = useContext(ReviewContext);
  if (!view) throw new Error("outside of the review");
  return view;
}
