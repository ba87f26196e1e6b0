/** The wait for the first task says what is waited for, once it is one. */

import { useEffect, useState } from "preact/hooks";
import type { Thing } from "../copy";

/** `remark` is what else there is to say; `thing` what the worker calls a task. */
export function Starting({ remark, thing }: { remark: string; thing: Thing }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), 400);
    return () => clearTimeout(timer);
  }, []);
  return <p class="page muted">{remark || (isLong ? `Getting the next ${thing.one} …` : "")}</p>;
}
