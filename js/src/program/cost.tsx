/**
 * What a version costs, and what lowering made of its inputs and outputs.
 *
 * In: `ProgramFacts`.  Out: a table of definitions, with warnings on top.
 * Must never: show a number that is not known as zero.
 */

import type { ComponentChildren } from "preact";
import { AnswerStatus } from "../parts/answer_status.tsx";
import { useLongList } from "../parts/long_list.tsx";
import { Prose, Warning } from "../parts/prose.tsx";
import { Term } from "../parts/term.tsx";
import type { Alike, Constant, LostInput, ProgramFacts, Version } from "../schema.ts";
import { useAnswer } from "../state/answers.ts";
import { count, size } from "../words/numbers.ts";

const AT_FIRST = 6;

export function Cost({ version }: { version: Version }) {
  const key = `facts ${version.index} ${version.status}`;
  const answer = useAnswer("facts", { compile: version.index }, key);
  return (
    <>
      <AnswerStatus answer={answer} what="the cost of this program" />
      {answer.state === "done" && <CostTable facts={answer.value} />}
    </>
  );
}

function CostTable({ facts }: { facts: ProgramFacts }) {
  const { memory, constants, warnings } = facts;
  return (
    <div>
      {warnings.map((warning) => (
        <Warning class="jitviz-work-advice" key={warning}>
          <Prose text={warning} />
        </Warning>
      ))}
      <div class="jitviz-definitions">
        <Group title="One run, by XLA's estimate">
          <Fact name={<Term name="FLOPs">floating-point operations</Term>}>{facts.flops || "not known"}</Fact>
          <Fact name={<Term name="bytes moved" />}>{facts.moved || "not known"}</Fact>
        </Group>
        <Group title="Memory of the executable">
          <Fact name="arguments">{tell(memory?.argument, size)}</Fact>
          <Fact name="outputs">{tell(memory?.output, size)}</Fact>
          <Fact name="temporaries">{tell(memory?.temporary, size)}</Fact>
          <Fact name="shared by arguments and outputs">{tell(memory?.alias, size)}</Fact>
          <Fact name="generated code">{tell(memory?.generated_code, size)}</Fact>
          <Fact name="kept alive by JAX's cache">{facts.kept || "nothing"}</Fact>
        </Group>
        <Group title="Inputs">
          <Facts name={<Term name="donated" />} of="donated" items={facts.donated} tell={tellPath} />
          <Facts name={<Term name="reused" />} of="reused" items={facts.reused} tell={tellPath} />
          <Facts
            name="donated but not reused"
            of="not reused"
            noun="input"
            items={facts.not_reused}
            nMore={facts.n_more_not_reused}
            tell={tellLost}
          />
          <Facts
            name={<Term name="not used">dropped</Term>}
            of="dropped"
            noun="input"
            items={facts.dropped}
            nMore={facts.n_more_dropped}
            tell={tellLost}
          />
        </Group>
        <Group title="Outputs">
          <Facts
            name={<Term name="forwarded">returned unchanged</Term>}
            of="forwarded"
            items={facts.forwarded}
            tell={tellPath}
          />
          <Facts name={<Term name="static" />} of="static outputs" items={facts.static_outputs} tell={tellPath} />
        </Group>
        <Group title="Constants in the program">
          <Fact name="total">
            {constants.length ? `${count(constants.length + facts.n_more_constants, "constant")}, ` : ""}
            {constants.length ? size(facts.constant_nbytes) : "none"}
          </Fact>
          {constants.length > 0 && (
            <Facts
              name="largest"
              of="constants"
              noun="constant"
              items={constants}
              nMore={facts.n_more_constants}
              tell={tellConstant}
            />
          )}
        </Group>
      </div>
    </div>
  );
}

function tellConstant({ name, aval, nbytes }: Constant) {
  return (
    <>
      {name ? <code>{name}</code> : "unnamed"} <code class="jitviz-faint">{aval}</code> {size(nbytes)}
    </>
  );
}

function tell(value: number | null | undefined, words: (value: number) => string): string {
  return value === null || value === undefined ? "not known" : words(value);
}

function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section>
      <h2>{title}</h2>
      <dl>{children}</dl>
    </section>
  );
}

function Fact({ name, children }: { name: ComponentChildren; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface FactsProps<T> {
  name: ComponentChildren;
  /** Whether all are shown is kept under this name. */
  of: string;
  noun?: string;
  items: readonly T[];
  nMore?: number;
  tell(item: T): ComponentChildren;
}

/** A fact with many values: the first few of them, or "none". */
function Facts<T>({ name, of, noun = "path", tell, ...many }: FactsProps<T>) {
  const { shown, more } = useLongList({ ...many, name: of, noun, most: AT_FIRST });
  return (
    <Fact name={name}>
      {shown.length === 0 && "none"}
      {shown.length > 0 && (
        <ul>
          {shown.map((item, index) => (
            <li key={index}>{tell(item)}</li>
          ))}
        </ul>
      )}
      {more}
    </Fact>
  );
}

function tellPath({ text, count }: Alike) {
  return (
    <>
      <code>{text}</code>
      {tellCount(count)}
    </>
  );
}

function tellLost({ path, aval, why, count }: LostInput) {
  return (
    <>
      <code>{path}</code> <code class="jitviz-faint">{aval}</code>
      {tellCount(count)}
      {why && ": "}
      <Prose text={why} />
    </>
  );
}

function tellCount(n: number) {
  return n > 1 && <span class="jitviz-faint"> {count(n, "leaf")}</span>;
}
