/** The abilities of the assistant in a few groups. The project lists them as `Word: an example`. Pure. */

export interface Capability {
  word: string;
  example: string;
}

export interface CapabilityGroup {
  title: string;
  all: readonly Capability[];
}

const GROUPS: readonly (readonly [title: string, words: readonly string[]])[] = [
  ["Build and dig", ["build", "copy", "dig", "fill", "destroy", "free build", "freebuild"]],
  ["Move and fetch", ["move", "get", "spawn", "dance", "point", "turn", "look"]],
  ["Know and tell", ["tag", "answer"]],
  ["Any time", ["stop", "resume", "undo"]],
];
const REST = "And also";

export function capabilityOf(said: string): Capability {
  const at = said.indexOf(":");
  return at < 0
    ? { word: said.trim(), example: "" }
    : { word: said.slice(0, at).trim(), example: said.slice(at + 1).trim() };
}

export function groupsOf(said: readonly string[]): CapabilityGroup[] {
  const all = said.map(capabilityOf);
  const title = ({ word }: Capability): string =>
    GROUPS.find(([, words]) => words.includes(word.toLowerCase()))?.[0] ?? REST;
  return [...GROUPS.map(([one]) => one), REST]
    .map((one) => ({ title: one, all: all.filter((capability) => title(capability) === one) }))
    .filter((group) => group.all.length > 0);
}
