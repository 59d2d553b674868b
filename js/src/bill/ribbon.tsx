/** Where the time went: one bar that is the wall time of the cell, and its legend, which says the same in words. */

import { type AccountView, type Spent, WHATS } from "../schema.ts";
import { seconds } from "../words.ts";

const LABELLED = 0.17; // of the bar: narrower parts have no room for their name
const LEAST = 0.002;

export function Ribbon({ account, onMore }: { account: AccountView; onMore(): void }) {
  const { wall_s, avoidable_s, beside } = account;
  const parts = partsOf(account);
  return (
    <section class="jitviz-account" aria-label={`Where ${seconds(wall_s)} went`}>
      <div class="jitviz-ribbon" aria-hidden="true">
        {parts.map(
          ({ what, name, seconds: spent_s }) =>
            spent_s > LEAST * wall_s && (
              <span
                key={what}
                class={`jitviz-what-${what}`}
                style={{ flexGrow: spent_s / wall_s }}
                title={`${name} ${seconds(spent_s)}`}
              >
                {spent_s > LABELLED * wall_s && `${shorten(name)} ${seconds(spent_s)}`}
              </span>
            ),
        )}
      </div>
      {avoidable_s > LEAST * wall_s && (
        <div class="jitviz-avoided" aria-hidden="true">
          <span style={{ width: `${(100 * avoidable_s) / wall_s}%` }} />
          {seconds(avoidable_s)} avoidable
        </div>
      )}
      <ul class="jitviz-key">
        {parts.map(({ what, name, seconds: spent_s }) => (
          <li key={what}>
            <span class={`jitviz-swatch jitviz-what-${what}`} aria-hidden="true" />
            {name} <b>{seconds(spent_s)}</b>
          </li>
        ))}
        <li>
          <button type="button" class="jitviz-link" onClick={onMore}>
            by function and line
          </button>
        </li>
      </ul>
      {beside && <p class="jitviz-faint">{beside}</p>}
    </section>
  );
}

/** The kinds of work, what belongs to compiling first. */
export function partsOf({ rows }: AccountView): Spent[] {
  const parts = rows.filter(({ depth }) => depth === 0);
  return parts.sort((a, b) => WHATS.indexOf(a.what) - WHATS.indexOf(b.what));
}

function shorten(name: string): string {
  return name.split(",")[0] ?? name;
}
