// How numbers and foreign texts are written.

/** `1,234` in every language: the program writes it so, too. */
export function numbered(number: number): string {
  return Math.round(number).toLocaleString("en-US");
}

/** A text of others in a hover, as one line of Markdown that starts nothing: no link, no heading, no code. */
export function quoted(text: string): string {
  return text.replace(/\s+/g, " ").trim().replace(/[\\`*_{}[\]()#+\-.!|<>~]/g, "\\$&");
}

/** A text of others within a line of a document, which is read as it is written. */
export function named(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map((run) => run[0].length));
  const edge = "`".repeat(longest + 1);
  return longest > 0 ? `${edge} ${line} ${edge}` : `${edge}${line}${edge}`;
}

/** A text of others as a block that shows every character as it is. */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n?$/, "\n")}${fence}`;
}
