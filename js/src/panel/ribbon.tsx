/**
 * Where the time went: one bar that is the wall time of the cell, and its legend, which names the kinds of work.
 *
 * In: an account.  Out: a stretch for each function that took much of a kind of work, and one for the rest of it.
 * Must never: cut a number of seconds in half: what does not fit in a stretch is hidden (see the style sheet).
 */

import { LinkButton } from "../parts/buttons.tsx";
import type { AccountView, Spent } from "../schema.ts";
import { seconds } from "../words/numbers.ts";

const LEAST = 0.002;

export function Ribbon({ account, onMore }: { account: AccountView; onMore(): void }) {
  const { wall_s, bar, beside } = account;
  const kinds = bar.filter(({ depth }) => depth === 0);
  return (
    <section class="jitviz-account">
      <div class="jitviz-ribbon" aria-hidden="true">
        {stretchesOf(bar).map(
          (part, place) =>
            part.seconds > LEAST * wall_s && (
              <span
                key={place}
                class={`jitviz-fit ${classOf(part)}`}
                style={{ flexGrow: part.seconds / wall_s }}
                title={[part.who, part.name, seconds(part.seconds)].filter(Boolean).join(" · ")}
              >
                <span>{part.who || part.name}</span>
                <span>{seconds(part.seconds)}</span>
                {part.who && <span>{part.name}</span>}
              </span>
            ),
        )}
      </div>
      <ul class="jitviz-key" aria-label={`Where ${seconds(wall_s)} went`}>
        {kinds.map((part) => (
          <li key={part.name}>
            <span class={`jitviz-swatch ${classOf(part)}`} aria-hidden="true" />
            {part.name} <b>{seconds(part.seconds)}</b>
          </li>
        ))}
        <li>
          <LinkButton onClick={onMore}>by function and line</LinkButton>
        </li>
      </ul>
      {beside && <p class="jitviz-faint">{beside}</p>}
    </section>
  );
}

interface Stretch extends Spent {
  /** The function, "" for the rest of a kind of work. */
  who: string;
}

/** The stretches of the bar: for each kind of work its functions, then the rest. */
function stretchesOf(bar: readonly Spent[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const [place, kind] of bar.entries()) {
    if (kind.depth > 0) continue;
    const next = bar.findIndex(({ depth }, at) => at > place && depth === 0);
    const functions = bar.slice(place + 1, next < 0 ? bar.length : next);
    const rest = functions.reduce((left, { seconds }) => left - seconds, kind.seconds);
    stretches.push(...functions.map((part) => ({ ...part, name: kind.name, who: part.name })), {
      ...kind,
      seconds: rest,
      who: "",
    });
  }
  return stretches;
}

function classOf({ what, is_avoidable }: Spent): string {
  return `jitviz-what-${is_avoidable ? "avoidable" : what}`;
}
