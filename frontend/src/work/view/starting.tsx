/** The message while the first task loads. It appears only if that takes a while. */

import { useEffect, useState } from "preact/hooks";
import type { TaskNoun } from "../texts";

/** `remark` is another message; `noun` is the worker's word for a task. */
export function Starting({ remark, noun }: { remark: string; noun: TaskNoun }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), 400);
    return () => clearTimeout(timer);
  }, []);
  return <p class="page muted">{remark || (isLong ? `Getting the next ${noun.one} …` : "")}</p>;
}
