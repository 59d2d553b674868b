/**
 * Where the time went: a bill in two rows on one axis, the kinds of work above and the functions below, each whole; a strip
 * over them where it was avoidable; a row for other threads, on an axis of its own; and a legend, which names the kinds.
 *
 * In: an account.  Out: a stretch for each kind of work, and below it one for each function that took much of it.
 * Must never: cut a number of seconds in half: what does not fit in a stretch is hidden (see the style sheet).
 */

import { useRef, useState } from "preact/hooks";
import { LinkButton } from "../parts/buttons.tsx";
import { onKeys } from "../parts/keys.ts";
import type { AccountView, Stretch as Place, Spent } from "../schema.ts";
import { seconds } from "../words/numbers.ts";

const LEAST = 0.002;
const ROUNDING = 2e-4; // of the whole: stretches that touch seem to share so much

export function Ribbon({ account, onMore }: { account: AccountView; onMore(): void }) {
  const { wall_s, bar, beside, beside_bar, avoidable } = account;
  const [pointed, setPointed] = useState("");
  const kinds = bar.filter(({ depth }) => depth === 0).map((kind) => ({ ...kind, who: "" }));
  const first = kinds.findIndex((part) => part.seconds > LEAST * wall_s);
  const others = beside_bar.map((kind) => ({ ...kind, who: "" }));
  const functions = functionsOf(bar);
  const others_s = others.reduce((sum, part) => sum + part.seconds, 0);
  const box = useRef<HTMLDivElement>(null);
  const go = (step: number) => {
    const stretches = [...(box.current?.querySelectorAll("button") ?? [])];
    stretches[stretches.findIndex((one) => one.matches(":focus")) + step]?.focus();
  };
  const keys = onKeys({
    ArrowRight: () => go(1),
    ArrowDown: () => go(1),
    ArrowLeft: () => go(-1),
    ArrowUp: () => go(-1),
  });
  const draw = (row: readonly Stretch[], whole: number, isNamed: (part: Stretch) => boolean) => (
    <div class="jitviz-ribbon">
      {row.map(
        (part, place) =>
          part.seconds > LEAST * whole && (
            <button
              key={place}
              type="button"
              tabIndex={row === kinds && place === first ? 0 : -1}
              class={`jitviz-fit jitviz-what-${part.what}${isNamed(part) ? "" : " jitviz-rest"}`}
              style={{ flexGrow: part.seconds / whole }}
              aria-label={tellPart(part)}
              title={tellPart(part)}
              onMouseEnter={() => setPointed(tellPart(part))}
              onMouseLeave={() => setPointed("")}
              onFocus={() => setPointed(tellPart(part))}
              onClick={onMore}
            >
              {isNamed(part) && (
                <>
                  <span>{part.who || part.name}</span> <span>{seconds(part.seconds)}</span>
                </>
              )}
            </button>
          ),
      )}
    </div>
  );
  return (
    <section class="jitviz-account">
      {/* Its texts are those of the legend, the tab that it opens, and what is said below it of a stretch. */}
      <div
        class="jitviz-bill"
        role="toolbar"
        aria-label={`Where ${seconds(wall_s)} went; arrow keys go from part to part`}
        ref={box}
        onKeyDown={keys}
      >
        {avoidable && <Strips at={account.avoidable_at} avoidable={account.avoidable_at} />}
        {draw(kinds, wall_s, () => true)}
        {functions.some(({ who }) => who) && draw(functions, wall_s, ({ who }) => who !== "")}
        {others.length > 0 && draw(others, others_s, () => true)}
      </div>
      <ul class="jitviz-key" aria-label={`Where ${seconds(wall_s)} went`}>
        {kinds.map(nameKind)}
        {avoidable && (
          <li class="jitviz-aside">
            <span class="jitviz-swatch jitviz-strip" aria-hidden="true" />
            avoidable: {avoidable}
          </li>
        )}
        <li>
          <LinkButton onClick={onMore}>by function and line</LinkButton>
        </li>
      </ul>
      {others.length > 0 && (
        <ul class="jitviz-key" aria-label="Other threads">
          <li>{beside.slice(0, beside.indexOf(":") + 1)}</li>
          {others.map(nameKind)}
        </ul>
      )}
      <p class="jitviz-faint jitviz-pointed">{pointed}</p>
    </section>
  );
}

function nameKind({ what, name, seconds: spent }: Spent) {
  return (
    <li key={name}>
      <span class={`jitviz-swatch jitviz-what-${what}`} aria-hidden="true" />
      {name} <b>{seconds(spent)}</b>
    </li>
  );
}

/** Where something stands on the axis of the bill, and how much of it was avoidable. */
export function Strips({ at, avoidable }: Record<"at" | "avoidable", readonly Place[]>) {
  const both = at
    .flatMap((one) => avoidable.map((other) => overlapOf(one, other)))
    .filter(({ width }) => width > ROUNDING);
  const draw = ({ start, width }: Place, isAvoidable: boolean) => (
    <i
      key={`${start} ${isAvoidable}`}
      class={isAvoidable ? "jitviz-avoidable" : ""}
      style={{ left: `${100 * start}%`, width: `max(2px, ${100 * width}%)` }}
    />
  );
  return (
    <div class="jitviz-strips" aria-hidden="true">
      {at.map((place) => draw(place, false))}
      {both.map((place) => draw(place, true))}
    </div>
  );
}

function overlapOf(one: Place, other: Place): Place {
  const start = Math.max(one.start, other.start);
  return { start, width: Math.min(one.start + one.width, other.start + other.width) - start };
}

interface Stretch extends Spent {
  /** The function, "" for the rest of a kind of work. */
  who: string;
}

function tellPart({ who, name, seconds: spent, avoidable_s }: Stretch): string {
  const lost = avoidable_s > 0 && `${seconds(avoidable_s)} of it avoidable`;
  return [`${who || name} ${seconds(spent)}`, who && name, lost].filter(Boolean).join(", ");
}

/** For each kind of work its functions, then the rest, so that they stand below their kind. */
function functionsOf(bar: readonly Spent[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const [place, kind] of bar.entries()) {
    if (kind.depth > 0) continue;
    const next = bar.findIndex(({ depth }, at) => at > place && depth === 0);
    const functions = bar.slice(place + 1, next < 0 ? bar.length : next);
    const rest = { ...kind, who: "" };
    for (const part of functions) {
      rest.seconds -= part.seconds;
      rest.avoidable_s = Math.max(0, rest.avoidable_s - part.avoidable_s);
      stretches.push({ ...part, name: kind.name, who: part.name });
    }
    stretches.push(rest);
  }
  return stretches;
}
