import { expect, test } from "vitest";
import text from "../../tests/display/golden/words.json?raw";
import { atLeast, count, parts, seconds, size } from "../src/words/numbers.ts";

const said = JSON.parse(text) as Record<string, [...unknown[], string][]>;

test.each(Object.keys(said))("%s says what Python says", (name) => {
  const say = { atLeast, count, parts, seconds, size }[name] as (...values: unknown[]) => string;
  const pairs = said[name] ?? [];
  expect(pairs.map((pair) => say(...pair.slice(0, -1)))).toEqual(pairs.map((pair) => pair.at(-1)));
});
