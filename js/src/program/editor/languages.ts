/**
 * Syntax colours of the program texts. Tokens never cross lines, so each line is coloured on its own.
 *
 * In: the name of a language.  Out: a CodeMirror language.
 * Must never: fail on a text that a newer JAX prints differently; unknown syntax stays plain.
 */

import { StreamLanguage, type StreamParser, type StringStream, syntaxHighlighting } from "@codemirror/language";
import { python } from "@codemirror/legacy-modes/mode/python";
import type { Extension } from "@codemirror/state";
import { tagHighlighter, tags } from "@lezer/highlight";
import type { PaneName } from "../place.ts";

/** A pattern, the kind of its token ("" for none), and the kinds of token that it may follow on the line. */
type Rule = readonly [pattern: RegExp, token: string, after?: string];

/** Takes the first rule that fits. */
function parserOf(name: string, rules: readonly Rule[]): StreamParser<{ last: string }> {
  return {
    name,
    startState: () => ({ last: "" }),
    token(stream: StringStream, state) {
      if (stream.sol()) state.last = "";
      if (stream.eatSpace()) return null;
      for (const [pattern, token, after] of rules) {
        if (after !== undefined && state.last !== after) continue;
        if (!stream.match(pattern)) continue;
        state.last = token;
        return token || null;
      }
      stream.next();
      state.last = "";
      return null;
    },
  };
}

const STRING: Rule = [/^"(?:[^"\\]|\\.)*"?/, "string"];
const NUMBER: Rule = [/^-?(?:0x[\da-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)(?![\w.])/, "number"];
const DTYPE = "(?:bf16|f\\d+\\w*|[iusc]\\d+|bool|pred|key<\\w+>|float0|token|opaque|Ref\\{)";

const jaxpr: readonly Rule[] = [
  STRING,
  [/^'(?:[^'\\]|\\.)*'?/, "string"],
  [/^#.*/, "comment"],
  [new RegExp(`^${DTYPE}\\[[^\\]]*\\](?:\\{[^}]*\\})?`), "typeName"],
  [/^(?:lambda|let|in)\b/, "keyword"],
  [/^(?:True|False|None)\b/, "atom"],
  [/^=(?= )/, "operator"],
  [/^[A-Za-z_][\w-]*/, "className", "operator"], // the primitive, after "v:f32[3] = "
  [/^[A-Za-z_]\w*(?==)/, "propertyName"],
  NUMBER,
  [/^[A-Za-z_][\w.]*/, "variableName"],
];

const stablehlo: readonly Rule[] = [
  STRING,
  [/^\/\/.*/, "comment"],
  [/^(?:tensor|memref|vector|tuple|complex)<[^>]*>?>?/, "typeName"],
  [/^![\w.]+(?:<[^>]*>)?/, "typeName"],
  [/^(?:[iuf]\d+|ui\d+|bf16|index)\b/, "typeName"],
  [/^%[\w$.-]+(?:[:#]\d+)?/, "variableName"],
  [/^@(?:[\w$.-]+|"[^"]*")/, "labelName"],
  [/^#[\w.]+/, "meta"],
  [/^\^\w+/, "labelName"],
  [/^(?:module|attributes|public|private|applies|across|init|cond|do|dense|dims|true|false)\b(?! *=)/, "keyword"],
  [/^[a-z_]\w*\.[\w.]+(?= *=)/, "propertyName"],
  [/^(?:return|call)\b|^[a-z_]\w*\.[\w.]+/, "className"],
  [/^[A-Za-z_]\w*(?= *=)/, "propertyName"],
  NUMBER,
];

const hlo: readonly Rule[] = [
  STRING,
  [/^\/\*.*?\*\//, "comment"],
  [/^\/\/.*/, "comment"],
  [/^(?:HloModule|ENTRY|ROOT)\b/, "keyword"],
  [new RegExp(`^${DTYPE}\\[[^\\]]*\\](?:\\{[^}]*\\})?`), "typeName"],
  [/^%[\w.-]+/, "variableName"],
  [/^(?:true|false)\b/, "atom"],
  [/^[A-Za-z_][\w-]*(?==)/, "propertyName"],
  [/^[a-z][\w-]*(?=\()/, "className"],
  NUMBER,
];

/** The classes of tokens, so that one set of rules in the style sheet serves light and dark. */
const COLOURS = syntaxHighlighting(
  tagHighlighter([
    { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], class: "jitviz-token-keyword" },
    { tag: [tags.className, tags.standard(tags.name)], class: "jitviz-token-operation" },
    { tag: tags.typeName, class: "jitviz-token-type" },
    { tag: [tags.string, tags.special(tags.string)], class: "jitviz-token-string" },
    { tag: [tags.number, tags.atom, tags.bool], class: "jitviz-token-number" },
    { tag: [tags.comment, tags.meta], class: "jitviz-token-comment" },
    { tag: [tags.labelName, tags.definition(tags.variableName)], class: "jitviz-token-label" },
    { tag: tags.propertyName, class: "jitviz-token-property" },
  ]),
);

const LANGUAGES: Record<PaneName, Extension> = {
  source: StreamLanguage.define(python),
  jaxpr: StreamLanguage.define(parserOf("jaxpr", jaxpr)),
  stablehlo: StreamLanguage.define(parserOf("stablehlo", stablehlo)),
  hlo: StreamLanguage.define(parserOf("hlo", hlo)),
};

/** The language of a text, and the colours of its tokens. */
export function languageOf(name: PaneName): Extension {
  return [LANGUAGES[name], COLOURS];
}
