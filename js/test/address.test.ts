import { expect, test } from "vitest";
import { readAddress, writeAddress } from "../src/state/address.ts";

const NOTHING = { call: -1, function: "", leaf: "", place: "", line: "" };

test("an address names a tab, a function, a call, a leaf and a place, and is read as it was written", () => {
  const leaf = "opt_state[0].mu['a&b=#c']";
  const at = { tab: "timeline", call: 3, function: "step", leaf, place: "code hlo", line: "hlo 12" };
  expect(readAddress(writeAddress(at))).toEqual(at);
  expect(writeAddress({ ...NOTHING, tab: "notes" })).toBe("#tab=notes");
});

test("an address that says nothing, or nonsense, names no call", () => {
  expect(readAddress("")).toBeNull();
  expect(readAddress("#elsewhere")).toBeNull();
  expect(readAddress("#tab=x&call=NaN")).toEqual({ ...NOTHING, tab: "x" });
});
