/**
 * Stores values in this browser for one worker in one project. In a private window storing may fail; the page works
 * without it.
 */

export interface BrowserStorage {
  read<T>(name: string): T | null;
  write(name: string, value: unknown): void;
  drop(name: string): void;
  names(): string[];
}

export function browserStorage(prefix: string, storage: () => Storage = () => window.localStorage): BrowserStorage {
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

/** Storage for the life of the page: an answer of a quiz that was not sent must not appear in the work. */
export function memoryStorage(): BrowserStorage {
  const kept = new Map<string, unknown>();
  return {
    read: <T>(name: string) => (kept.get(name) ?? null) as T | null,
    write: (name, value) => void kept.set(name, value),
    drop: (name) => void kept.delete(name),
    names: () => [...kept.keys()],
  };
}
