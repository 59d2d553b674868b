/** What is worth doing: a row per cause, most seconds first; the first is open, the others open when asked. */

import { CopyText } from "../copy.tsx";
import { useKept } from "../kept.ts";
import { Prose } from "../prose.tsx";
import type { ChoiceView, FindingView, Panel, Span } from "../schema.ts";
import { nameFindings } from "../tell.ts";
import { count, grouped, seconds } from "../words.ts";
import { Said } from "./said.tsx";

const FEW = 5;

interface Props {
  panel: Panel;
  onCulprit(span: Span): void;
  /** Told which compile to look at. */
  onCompile(compile: number): void;
}

export function Findings({ panel, onCulprit, onCompile }: Props) {
  const { findings, n_more_findings } = panel;
  const [shown, setShown] = useKept("findings", () => FEW);
  const names = nameFindings(findings);
  const more = findings.length - shown;
  if (findings.length === 0) return null;
  return (
    <section aria-label="What is worth doing">
      <ol class="jitviz-findings">
        {findings.slice(0, shown).map((found, place) => (
          <FindingRow
            key={names[place]}
            name={names[place] ?? ""}
            found={found}
            isFirst={place === 0}
            onCulprit={onCulprit}
            onCompile={onCompile}
          />
        ))}
      </ol>
      {more > 0 && (
        <button type="button" class="jitviz-link" onClick={() => setShown(findings.length)}>
          {count(more + n_more_findings, "more finding")}
        </button>
      )}
      {more <= 0 && n_more_findings > 0 && <p class="jitviz-faint">{count(n_more_findings, "more finding")}</p>}
    </section>
  );
}

interface RowProps extends Omit<Props, "panel"> {
  /** What is kept of it goes by this name. */
  name: string;
  found: FindingView;
  isFirst: boolean;
}

function FindingRow({ name, found, isFirst, onCulprit, onCompile }: RowProps) {
  const [asked, setOpen] = useKept<boolean | null>(`open ${name}`, () => null);
  const isOpen = asked ?? isFirst; // another may come first while the cell runs
  const said = found.summary.map(({ text }) => text).join("");
  return (
    <li class="jitviz-finding">
      <b class="jitviz-finding-seconds">{found.seconds > 0 ? seconds(found.seconds) : ""}</b>
      <div class="jitviz-finding-body">
        <p class="jitviz-finding-said">
          <Said spans={found.summary} onCulprit={onCulprit} />
        </p>
        <p class="jitviz-faint">
          <Prose text={[found.cost, isOpen && found.effect].filter(Boolean).join("; ")} />
        </p>
        {isOpen && <Fix name={name} found={found} onCompile={onCompile} />}
      </div>
      <button
        type="button"
        class="jitviz-link jitviz-toggle"
        aria-expanded={isOpen}
        aria-label={`what to do: ${said}`}
        onClick={() => setOpen(!isOpen)}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d={isOpen ? "M4 10l4-4l4 4" : "M4 6l4 4l4-4"} />
        </svg>
      </button>
    </li>
  );
}

/** One thing to do, the choices there are, and the ways on. */
function Fix({ name, found, onCompile }: Omit<RowProps, "isFirst" | "onCulprit">) {
  const [isShown, setShown] = useKept(`code ${name}`, () => false);
  const first = found.compiles[0];
  return (
    <>
      {found.advice && (
        <p class="jitviz-finding-advice">
          <span aria-hidden="true">→ </span>
          <Prose text={found.advice} />
        </p>
      )}
      {found.choices.length > 1 && <Choices found={found} />}
      <p class="jitviz-tools">
        {found.code && <CopyText text={found.code}>copy code</CopyText>}
        {found.code && (
          <button type="button" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? "hide code" : "show code"}
          </button>
        )}
        {!found.code && found.advice && <CopyText text={found.advice}>copy advice</CopyText>}
        {first !== undefined && (
          <button type="button" onClick={() => onCompile(first)}>
            show in timeline
          </button>
        )}
      </p>
      {isShown && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key
        <pre class="jitviz-paste" tabIndex={0}>
          {found.code}
        </pre>
      )}
    </>
  );
}

function Choices({ found }: { found: FindingView }) {
  const codeOf = (choice: ChoiceView) => choice.code || found.code;
  return (
    <div class="jitviz-table-box">
      <table class="jitviz-table jitviz-choices">
        <thead>
          <tr>
            <th scope="col">pad to</th>
            <th scope="col">sizes</th>
            <th scope="col" class="jitviz-number">
              compiles
            </th>
            <th scope="col" class="jitviz-number">
              more elements
            </th>
            <th scope="col" class="jitviz-number">
              saves
            </th>
            <th scope="col">
              <span class="jitviz-hidden">code</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {found.choices.map((choice) => (
            <tr key={choice.name} class={choice.is_best ? "jitviz-best" : ""}>
              <th scope="row">
                {choice.name}
                {choice.is_best && <span class="jitviz-tag">best</span>}
              </th>
              <td>{choice.sizes}</td>
              <td class="jitviz-number">{grouped(choice.compiles)}</td>
              <td class="jitviz-number">{choice.padding}</td>
              <td class="jitviz-number">{choice.saved}</td>
              <td>
                <CopyText text={codeOf(choice)} what={`the code of ${choice.name}`}>
                  copy
                </CopyText>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
