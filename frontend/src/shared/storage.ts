/** What this browser keeps for one worker in one project. Private windows may refuse to keep anything: the page works without. */

export interface Keep {
  read<T>(name: string): T | null;
  write(name: string, value: unknown): void;
  drop(name: string): void;
  names(): string[];
}

export function keepUnder(prefix: string, storage: () => Storage = () => window.localStorage): Keep {
  const guarded = <T>(work: (s: Storage) => T, otherwise: T): T => {
    try {
      return work(storage());
    } catch {
      return otherwise;
    }
  };
  return {
    read: <T>(name: string) =>
      guarded<T | null>((s) => {
        const text = s.getItem(`${prefix}:${name}`);
        return text === null ? null : (JSON.parse(text) as T);
      }, null),
    write: (name, value) => guarded((s) => s.setItem(`${prefix}:${name}`, JSON.stringify(value)), undefined),
    drop: (name) => guarded((s) => s.removeItem(`${prefix}:${name}`), undefined),
    names: () =>
      guarded((s) => {
        const found: string[] = [];
        for (let i = 0; i < s.length; i += 1) {
          const key = s.key(i);
          if (key?.startsWith(`${prefix}:`)) found.push(key.slice(prefix.length + 1));
        }
        return found;
      }, []),
  };
}

/** Nothing outlives the page: an answer of a quiz that is not handed in must not turn up in the work. */
export function keepInMemory(): Keep {
  const kept = new Map<string, unknown>();
  return {
    read: <T>(name: string) => (kept.get(name) ?? null) as T | null,
    write: (name, value) => void kept.set(name, value),
    drop: (name) => void kept.delete(name),
    names: () => [...kept.keys()],
  };
}
