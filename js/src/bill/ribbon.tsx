/** Where the time went: one bar that is the wall time of the cell, and its legend, which says the same in words. */

import type { AccountView, Spent } from "../schema.ts";
import { seconds } from "../words.ts";

const LABELLED = 0.17; // of the bar: narrower parts have no room for their name
const LEAST = 0.002;

export function Ribbon({ account, onMore }: { account: AccountView; onMore(): void }) {
  const { wall_s, bar, beside } = account;
  return (
    <section class="jitviz-account" aria-label={`Where ${seconds(wall_s)} went`}>
      <div class="jitviz-ribbon" aria-hidden="true">
        {bar.map(
          (part) =>
            part.seconds > LEAST * wall_s && (
              <span
                key={part.name}
                class={classOf(part)}
                style={{ flexGrow: part.seconds / wall_s }}
                title={`${part.name} ${seconds(part.seconds)}`}
              >
                {part.seconds > LABELLED * wall_s && `${shorten(part.name)} ${seconds(part.seconds)}`}
              </span>
            ),
        )}
      </div>
      <ul class="jitviz-key">
        {bar.map((part) => (
          <li key={part.name}>
            <span class={`jitviz-swatch ${classOf(part)}`} aria-hidden="true" />
            {part.name} <b>{seconds(part.seconds)}</b>
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

function classOf({ what, is_avoidable }: Spent): string {
  return `jitviz-what-${is_avoidable ? "avoidable" : what}`;
}

function shorten(name: string): string {
  return name.split(",")[0] ?? name;
}
