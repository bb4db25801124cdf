/** What a query of Logs Insights is made of, as far as ours go. */
export interface InsightsQuery {
  /** The first word of each of its commands. */
  readonly commands: readonly string[];
  /** Fields that a log line has to have; those that begin with `@` every line of CloudWatch has. */
  readonly fields: readonly string[];
  /** The texts that it compares `event` with. */
  readonly events: readonly string[];
}

const knownCommands = new Set(['fields', 'filter', 'parse', 'stats', 'sort', 'limit']);
const keywords = new Set(['and', 'or', 'not', 'in', 'like', 'as', 'by', 'asc', 'desc']);
const functions = new Set(['count', 'max', 'min', 'sum', 'avg', 'latest', 'earliest', 'ispresent']);
const anyText = /"[^"]*"/g;
const anyPattern = /(?<=\blike )\/[^/]*\//g;

/**
 * Reads a query.
 * @throws Error for a command or a function that it does not know, an open quotation mark, bracket
 *   or parenthesis
 */
export function readInsightsQuery(query: string): InsightsQuery {
  const code = query.replaceAll(/^#.*$/gm, '');
  const bare = code.replaceAll(anyPattern, ' ').replaceAll(anyText, ' ');
  checkClosed(bare, query);
  const commands = bare.split('|').map((command) => command.trim().split(/\s+/));
  const aliases = new Set([...bare.matchAll(/\bas (\w+)/g)].map(([, alias = '']) => alias));
  const names = commands.flatMap((words) => namesIn(words, query)).filter((name) => !aliases.has(name));
  return { commands: commands.map(([first = '']) => first), fields: [...new Set(names)], events: eventsOf(code) };
}

function checkClosed(bare: string, query: string): void {
  if (/["/]/.test(bare)) throw new Error(`an open quotation mark or pattern in: ${query}`);
  for (const [open = '', close = ''] of ['()', '[]']) {
    if (bare.split(open).length !== bare.split(close).length) throw new Error(`${open} without ${close} in: ${query}`);
  }
}

/** The names that a command reads, and those that it makes. */
function namesIn([first = '', ...rest]: readonly string[], query: string): string[] {
  if (!knownCommands.has(first)) throw new Error(`no command of Logs Insights: "${first}" in: ${query}`);
  const words = wordsOf(rest.join(' ')).filter(([word]) => !keywords.has(word));
  const unknown = words.find(([word, isCalled]) => isCalled && !functions.has(word));
  if (unknown !== undefined) throw new Error(`no function ${unknown[0]} in: ${query}`);
  return words.filter(([, isCalled]) => !isCalled).map(([word]) => word);
}

/** Each name, and whether a parenthesis follows it: `count(*)`. */
function wordsOf(text: string): [word: string, isCalled: boolean][] {
  return [...text.matchAll(/(@?[a-zA-Z_]\w*)(\s*\()?/g)].map(([, word = '', call]) => [word, call !== undefined]);
}

function eventsOf(code: string): string[] {
  const compared = [...code.matchAll(/\bevent (?:=|in) ("[^"]*"|\[[^\]]*\])/g)].map(([, texts = '']) => texts);
  return [...new Set(compared.flatMap((texts) => [...texts.matchAll(anyText)].map(([text]) => text.slice(1, -1))))];
}
