/** The arguments of the chosen version as an icicle; for a few leaves the tree is better. */

import { useEffect, useMemo } from "preact/hooks";
import { groupTree } from "../partition/grouping.ts";
import { chooseTree, questionOf } from "../partition/partition.tsx";
import { Term } from "../parts/term.tsx";
import { useAnswer } from "../state/answers.ts";
import type { Calls } from "../state/calls.ts";
import type { Choice } from "../state/choice.ts";
import { Icicle } from "../time/icicle.tsx";
import { grouped } from "../words/numbers.ts";
import { cutTree } from "./argument_slices.ts";

const FEW = 8;

interface Props {
  calls: Calls;
  choice: Choice;
}

export function Arguments({ calls, choice }: Props) {
  const { key, params } = questionOf(calls, choice);
  const answer = useAnswer("partition", params, key);
  const tree = useMemo(() => chooseTree(answer, calls, choice, "inputs"), [answer.state, key, choice]);
  // The partition needs its groups as soon as its tab is opened; until then there is time.
  useEffect(() => {
    const timer = setTimeout(() => tree && groupTree(tree));
    return () => clearTimeout(timer);
  }, [tree]);
  const isWhole = tree !== null && !tree.about.is_diff && tree.about.n_more_leaves === 0;
  const cut = useMemo(() => (tree && isWhole ? cutTree(tree) : null), [tree]);
  if (!cut || !tree || tree.about.traced + tree.about.static <= FEW) return null;
  return (
    <section class="jitviz-arguments">
      <h2>
        Arguments{" "}
        <span class="jitviz-faint">
          of <code>{choice.home?.name}</code>
          {choice.version && `, ${choice.version.name}`}
        </span>
      </h2>
      <Icicle cut={cut} label={`arguments of ${choice.home?.name ?? "the call"}`} />
      <ul class="jitviz-key">
        {(["traced", "static"] as const).map((role) => (
          <li key={role}>
            <span class={`jitviz-swatch jitviz-kind-${role}`} aria-hidden="true" />
            {grouped(tree.about[role])} <Term name={role} />
          </li>
        ))}
        {tree.marked.length > 0 && (
          <li>
            <span class="jitviz-swatch jitviz-kind-changed" aria-hidden="true" />
            {grouped(tree.marked.length)} changed
          </li>
        )}
        <li class="jitviz-faint">
          width: number of leaves, changed ones wider; similar siblings are drawn once, down to the eighth level
        </li>
      </ul>
    </section>
  );
}
