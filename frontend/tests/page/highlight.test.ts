import { describe, expect, it } from "vitest";
import { highlight, wordsOf } from "../../src/page/highlight";

interface Word {
  dataset: { word: string };
  lit: boolean;
  classList: { toggle: (name: string, isOn: boolean) => void };
}

function word(number: string): Word {
  const made: Word = { dataset: { word: number }, lit: false, classList: { toggle: (_, isOn) => (made.lit = isOn) } };
  return made;
}

describe("the lines of an outline", () => {
  it("name their words by number", () => {
    expect([...wordsOf("2 3 10")]).toEqual(["2", "3", "10"]);
    expect(wordsOf("").size).toBe(0);
  });

  it("light these and no others, and put them out again", () => {
    const words = ["0", "1", "10"].map(word);
    highlight(words as unknown as HTMLElement[], wordsOf("1"));
    expect(words.map((one) => one.lit)).toEqual([false, true, false]);
    highlight(words as unknown as HTMLElement[], wordsOf(""));
    expect(words.some((one) => one.lit)).toBe(false);
  });
});
