/** The classes of tokens, so that one set of rules in the style sheet serves light and dark. */

import { syntaxHighlighting } from "@codemirror/language";
import { tagHighlighter, tags } from "@lezer/highlight";

export const colours = syntaxHighlighting(
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
