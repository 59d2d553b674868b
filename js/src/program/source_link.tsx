/** A line of source by name, as a link to it where the source pane shows it. */

import { LinkButton } from "../parts/buttons.tsx";
import type { Links } from "../schema.ts";
import type { Source } from "./source.ts";
import { namePlace } from "./work.ts";

interface Props {
  links: Links;
  source: Source;
  file: number;
  line: number;
  /** Whether this is where the reader is. */
  isHere?: boolean;
  onGo(file: number, line: number): void;
}

export function SourceLink({ links, source, file, line, isHere, onGo }: Props) {
  const name = namePlace(links, file, line);
  if (source.find(file, line) < 0) return name;
  return (
    <LinkButton aria-current={isHere ? "location" : undefined} onClick={() => onGo(file, line)}>
      {name}
    </LinkButton>
  );
}
