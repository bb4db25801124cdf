import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandResult, CommandWithoutStage } from './terminal/command.ts';
import { UsageError } from '#operator/errors.ts';
import { docPage, packageFolder } from '#shared/places.ts';
import { commandLine, npxWords } from '#shared/text/command-line.ts';
import { didYouMean } from '#shared/text/did-you-mean.ts';
import type { CommandWriter } from './terminal/times.ts';

export const command: CommandWithoutStage = {
  needsNoStage: true,
  line: {
    says: "Prints a page of this version's runbook, or without a name the list of pages.",
    more: 'There is one for each alarm, for each reason to park or skip, and for things to do.',
    words: { '[NAME]': 'of a page, or the whole name of an alarm of CloudWatch' },
    examples: ['autopilot runbook CHECK_FAILED', 'autopilot runbook gateway-autopilot-prod-GateClosed'],
  },
  async run({ positionals: [asked] }) {
    const pages = runbookPages();
    if (asked === undefined) return list(pages);
    const page = pageNamed(asked, pages);
    if (page === undefined) {
      const near = didYouMean(
        asked,
        pages.map(({ name }) => name),
        ':',
      );
      throw new UsageError(
        `the runbook has no page "${asked}"${near}`,
        near === '' ? { command: ['autopilot', 'runbook'] } : {},
      );
    }
    const { name } = page;
    const text = (line: CommandWriter) => linksFollowed(page, pages, line);
    return {
      data: { name, text: text(commandLine) },
      render: ({ line }) => pasted(text(line), line).split('\n'),
    };
  },
};

interface Page {
  /** Its heading as one word: `CHECK_FAILED`, `GateClosed`, `roll-back`. */
  readonly name: string;
  /** The heading that it stands under; absent from a page that stands by itself. */
  readonly group?: string;
  readonly lines: readonly string[];
}

function list(pages: readonly Page[]): CommandResult {
  const groups = Map.groupBy(pages, ({ group = 'To do' }) => group);
  return {
    data: { pages: pages.map(({ name, group }) => ({ name, group })) },
    render: ({ paint, line }) => [
      ...[...groups].flatMap(([group, its]) => [paint('bold', group), ...its.map(({ name }) => `  ${name}`), '']),
      `To print one, by its NAME: ${line(['autopilot', 'runbook', 'NAME'])}`,
    ],
  };
}

/** Its commands as the terminal takes them; one that names no stage leads to that of this command. */
function pasted(text: string, line: CommandWriter): string {
  return text.replaceAll(/^( +)(?:npx )?autopilot (.*)$/gm, (_, indent: string, words: string) =>
    words.includes('--stage')
      ? `${indent}${commandLine(npxWords([]))} ${words}`
      : `${indent}${line(['autopilot'])} ${words}`,
  );
}

/** Text in which each link is what leads there from a terminal: a command, or the path of a page. */
function linksFollowed({ lines }: Page, pages: readonly Page[], line: CommandWriter): string {
  return lines.join('\n').replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, words: string, target: string) => {
    if (/^https?:/.test(target)) return `${words} [${target}]`;
    if (!target.startsWith('#')) return `${words} [${docPage(target)}]`;
    const page = pages.find(({ name }) => name.toLowerCase() === target.slice(1));
    return `${words} [${line(['autopilot', 'runbook', ...(page === undefined ? [] : [page.name])])}]`;
  });
}

/** The pages of the runbook of this version. */
export function runbookPages(): readonly Page[] {
  return pagesOf(readFileSync(join(packageFolder, 'docs', 'runbook.md'), 'utf8'));
}

/** A heading of the second level is a page, unless pages of the third level stand below it: then it is their group. */
export function pagesOf(runbook: string): readonly Page[] {
  const chapters = runbook.split(/^(?=## )/m).slice(1);
  return chapters.flatMap((chapter) => {
    const [intro = '', ...sections] = chapter.split(/^(?=### )/m);
    const group = headingOf(intro);
    if (sections.length === 0) return [pageOf(chapter)];
    return sections.map((section) => ({ ...pageOf(section), group }));
  });
}

function pageOf(section: string): Page {
  return { name: headingOf(section).replaceAll(' ', '-'), lines: section.trimEnd().split('\n') };
}

function headingOf(section: string): string {
  return /^#+ (.*)$/m.exec(section)?.[1] ?? '';
}

/** By its name in any case; an alarm also by its whole name, which ends with that of the page. */
function pageNamed(asked: string, pages: readonly Page[]): Page | undefined {
  const wanted = asked.toLowerCase();
  const named = pages.find(({ name }) => name.toLowerCase() === wanted);
  return (
    named ??
    pages.find(({ name }) => wanted.startsWith('gateway-autopilot-') && wanted.endsWith(`-${name.toLowerCase()}`))
  );
}
