/** The length of the recording so far: what the panel says, plus the time since then while it is live. */

import { useEffect, useState } from "preact/hooks";
import type { Panel } from "../schema.ts";

const STEP_MS = 100;
const CALM_STEP_MS = 1000; // for those who asked their system for less motion

export function useElapsed(panel: Panel, isLive: boolean): number {
  const [now, setNow] = useState(panel.timeline.duration_s);
  useEffect(() => {
    const start = performance.now();
    const { duration_s } = panel.timeline;
    setNow(duration_s);
    if (!isLive) return;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const tick = () => setNow(duration_s + (performance.now() - start) / 1000);
    const timer = setInterval(tick, isCalm ? CALM_STEP_MS : STEP_MS);
    return () => clearInterval(timer);
  }, [panel, isLive]);
  return isLive ? Math.max(now, panel.timeline.duration_s) : panel.timeline.duration_s;
}
