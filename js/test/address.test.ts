import { expect, test } from "vitest";
import { readAddress, writeAddress } from "../src/address.ts";

test("an address names a tab, a call and a leaf, and is read as it was written", () => {
  const at = { tab: "timeline", call: 3, leaf: "opt_state[0].mu['a&b=#c']" };
  expect(readAddress(writeAddress(at))).toEqual(at);
  expect(writeAddress({ tab: "why", call: -1, leaf: "" })).toBe("#tab=why");
});

test("an address that says nothing, or nonsense, names no call", () => {
  expect(readAddress("")).toBeNull();
  expect(readAddress("#elsewhere")).toBeNull();
  expect(readAddress("#tab=x&call=NaN")).toEqual({ tab: "x", call: -1, leaf: "" });
});
