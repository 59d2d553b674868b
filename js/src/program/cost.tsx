/**
 * What a version costs, and what lowering made of its inputs and outputs.
 *
 * In: `ProgramFacts`.  Out: a table of definitions, with warnings on top.
 * Must never: show a number that is not known as zero.
 */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAnswer } from "../answer.ts";
import { Prose } from "../prose.tsx";
import type { Alike, ConstantView, LostInput, ProgramFacts, Version } from "../schema.ts";
import { Term } from "../term.tsx";
import { Waiting } from "../waiting.tsx";
import { count, grouped, size } from "../words.ts";

export function Cost({ version }: { version: Version }) {
  const key = `facts ${version.index} ${version.status}`;
  const answer = useAnswer("facts", { compile: version.index }, key);
  return (
    <>
      <Waiting answer={answer} what="what is known of this program" />
      {answer.state === "done" && <Facts facts={answer.value} />}
    </>
  );
}

function Facts({ facts }: { facts: ProgramFacts }) {
  const { memory, constants, warnings } = facts;
  return (
    <div>
      {warnings.map((warning) => (
        <p class="jitviz-work-advice" key={warning}>
          <span aria-hidden="true">⚠ </span>
          <Prose text={warning} />
        </p>
      ))}
      <div class="jitviz-definitions">
        <Group title="One run">
          <Fact name={<Term name="FLOPs">floating-point operations</Term>}>{facts.flops || "not known"}</Fact>
          <Fact name={<Term name="bytes moved" />}>{facts.moved || "not known"}</Fact>
          <Fact name={<Term name="arithmetic intensity" />}>{facts.intensity || "not known"}</Fact>
        </Group>
        <Group title="Memory of the executable">
          <Fact name="arguments">{tell(memory?.argument, size)}</Fact>
          <Fact name="outputs">{tell(memory?.output, size)}</Fact>
          <Fact name="temporaries">{tell(memory?.temporary, size)}</Fact>
          <Fact name="shared by arguments and outputs">{tell(memory?.alias, size)}</Fact>
          <Fact name="generated code">{tell(memory?.generated_code, size)}</Fact>
          <Fact name="kept alive of the function">{facts.kept || "nothing"}</Fact>
        </Group>
        <Group title="Inputs">
          <Fact name={<Term name="donated" />}>
            <Paths paths={facts.donated} />
          </Fact>
          <Fact name={<Term name="reused">reused</Term>}>
            <Paths paths={facts.reused} />
          </Fact>
          <Fact name="donated but not reused">
            <Lost inputs={facts.not_reused} nMore={facts.n_more_not_reused} />
          </Fact>
          <Fact name={<Term name="not used">dropped</Term>}>
            <Lost inputs={facts.dropped} nMore={facts.n_more_dropped} />
          </Fact>
        </Group>
        <Group title="Outputs">
          <Fact name={<Term name="forwarded">returned unchanged</Term>}>
            <Paths paths={facts.forwarded} />
          </Fact>
          <Fact name={<Term name="static" />}>
            <Paths paths={facts.static_outputs} />
          </Fact>
        </Group>
        <Group title="Constants in the program">
          <Fact name="total">
            {constants.length ? `${count(constants.length + facts.n_more_constants, "constant")}, ` : ""}
            {constants.length ? size(facts.constant_nbytes) : "none"}
          </Fact>
          {constants.length > 0 && (
            <Fact name="largest">
              <List items={constants.map(tellConstant)} />
              {facts.n_more_constants > 0 && (
                <p class="jitviz-faint">{count(facts.n_more_constants, "more constant")}</p>
              )}
            </Fact>
          )}
        </Group>
      </div>
    </div>
  );
}

function tellConstant({ name, aval, nbytes }: ConstantView) {
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
    <section aria-label={title}>
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

function Paths({ paths }: { paths: readonly Alike[] }) {
  if (paths.length === 0) return <>none</>;
  const items = paths.map(({ text, count }) => (
    <>
      <code>{text}</code>
      <Many n={count} />
    </>
  ));
  return <List items={items} />;
}

function Many({ n }: { n: number }) {
  return n > 1 ? <span class="jitviz-faint"> {count(n, "leaf")}</span> : null;
}

function Lost({ inputs, nMore }: { inputs: readonly LostInput[]; nMore: number }) {
  if (inputs.length === 0) return <>none</>;
  const items = inputs.map(({ path, aval, why, count }) => (
    <>
      <code>{path}</code> <code class="jitviz-faint">{aval}</code>
      <Many n={count} />
      {why && (
        <>
          : <Prose text={why} />
        </>
      )}
    </>
  ));
  return (
    <>
      <List items={items} />
      {nMore > 0 && <p class="jitviz-faint">{grouped(nMore)} more</p>}
    </>
  );
}

const AT_FIRST = 6;

/** The first few, and the rest on demand. */
function List({ items }: { items: readonly ComponentChildren[] }) {
  const [isAll, setAll] = useState(false);
  const rest = items.length - AT_FIRST;
  return (
    <>
      <ul>
        {items.slice(0, isAll ? items.length : AT_FIRST).map((item, index) => (
          <li key={index}>{item}</li>
        ))}
      </ul>
      {rest > 0 && (
        <button type="button" class="jitviz-link" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? "fewer" : `${grouped(rest)} more`}
        </button>
      )}
    </>
  );
}
