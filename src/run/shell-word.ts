/** A command line as a person or a script may type it. */

/** `text` as one word of a POSIX shell, in quotes where it, or zsh, needs them. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function shellLine(...words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}
