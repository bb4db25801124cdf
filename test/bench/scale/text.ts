/** A number for people: `1,000,000`, `20.1`. */
export function amount(value: number): string {
  return value.toLocaleString('en-GB', { maximumFractionDigits: 1 });
}

/** A table of Markdown. */
export function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  return `${[line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')}\n`;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
