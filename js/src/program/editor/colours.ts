/** What kinds of token are called in the style sheet, so that light and dark are one set of rules. */

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
