/** The little Markdown that a document is made of. Texts of others are escaped: none of them can be taken for a part of the document. Pure. */
import { visibleText } from '#shared/text/visible-text.ts';
import { guardQuestions } from '#shared/vocabulary/reason-codes.ts';
import type { HistoryEntry } from '../../history/history-entry.ts';
import { withInstants } from '../../readable.ts';
import { decisionWords } from '../../parked/parked-rows.ts';
import type { StartEvidence } from '../read-evidence.ts';

/** What ends a cell or begins HTML, by its entity: readers of tables differ about backslashes, and none takes an entity for structure. */
const entities: Readonly<Record<string, string>> = { '|': '&#124;', '<': '&lt;', '>': '&gt;', '&': '&amp;' };

/**
 * A text in the flow, in a list or in a cell, escaped: any person may have written it. Nothing in it is a mark-up, and no address in it becomes
 * a link. An underscore inside a word means nothing to Markdown and stays as it is.
 */
export function escapedText(words: string): string {
  return visibleText(words)
    .replaceAll(/[\\`*[\]~#]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|:(?=\/\/)|(?<=www)\.|@/giu, String.raw`\$&`)
    .replaceAll(/[|<>&]/g, (char) => entities[char] ?? char)
    .replace(/^\s+/, '')
    .replace(/^(?:[-+=]|\d+(?=[.)]))/, beginning);
}

/** At the start of a line these begin a list or a rule. */
function beginning(mark: string): string {
  return /\d/.test(mark) ? `${mark}\\` : `\\${mark}`;
}

/** A name, an id or an instant as it is. */
export function code(words: string): string {
  const line = visibleText(words);
  // Code has no escapes, and its cell would end at a pipe.
  return line === '' || /[`|]/.test(line) ? escapedText(words) : `\`${line}\``;
}

/** A table; its cells are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** A list. */
export function bullets(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `- ${line}`);
}

/** A section with its heading; its parts stand apart. */
export function documentSection(heading: string, ...parts: readonly (readonly string[])[]): readonly string[] {
  return [`## ${heading}`, ...parts.flatMap((part) => (part.length === 0 ? [] : ['', ...part])), ''];
}

/** Writes a time of a sentence by the clock of the stage. */
export type At = (instant: string) => string;

/** `schedule weeknights`. */
export function askedBy({ askedBy: { kind, name } }: Pick<HistoryEntry, 'askedBy'>): string {
  return `${kind} ${escapedText(name)}`;
}

/** The sender that SQS proves, beside the name that the message claims. */
function sentBy({ sentBy: sender }: Pick<HistoryEntry, 'sentBy'>): string {
  if (sender === undefined) return 'not known';
  return `${code(sender.id)}, ${sender.isProven === true ? 'the role of the stage that sends these' : 'no role of the stage'}`;
}

/** Who asked for it and why, what an operator overrode, and what people decided about it. */
export function askedSection({ command, override }: StartEvidence, at: At): readonly string[] {
  const { askedAt, askedBecause, request, resolutions = [] } = command;
  return documentSection(
    'Who asked, and why',
    table(
      ['', ''],
      [
        ['Asked by', askedBy(command)],
        ['Sent by', sentBy(command)],
        ['Asked at', askedAt],
        ['Reason', askedBecause === undefined ? 'none was given' : escapedText(askedBecause)],
        ...(override === undefined
          ? []
          : [['Override', `of ${override.guards.join(', ')}: ${escapedText(override.reason)}`] as const]),
        ...(request === undefined ? [] : [['Request', requestText(request)] as const]),
        ...resolutions.map(
          (made) =>
            ['Decided', `${escapedText(decisionWords(made))} at ${at(made.at)}: ${escapedText(made.reason)}`] as const,
        ),
      ],
    ),
  );
}

/** `x-request-id` for the gateway's log, and what else was tried. The request may itself be the one that was never answered. */
function requestText({ id, tries, lastError }: NonNullable<HistoryEntry['request']>): string {
  const attempts = tries === 1 ? 'the first attempt' : `${tries} attempts until the outcome`;
  const why = lastError === undefined ? '' : `; the last error before it: ${escapedText(lastError)}`;
  return `${code(id)} (the header x-request-id), ${attempts}${why}`;
}

/** What each guard said. */
export function guardsSection({ verdicts, notJudged = [] }: StartEvidence, at: At): readonly string[] {
  if (verdicts === undefined)
    return documentSection('Guards', ['What the guards said is not on record: none was asked.']);
  return documentSection(
    'Guards',
    table(
      ['guard', 'asks', 'said', 'because'],
      [
        ...verdicts.map(({ guard, verdict, detail }) => [
          guard,
          guardQuestions[guard],
          verdict === 'apply' ? 'no objection' : `**${verdict}**`,
          detail === undefined ? '' : escapedText(withInstants(detail, at)),
        ]),
        ...notJudged.map((guard) => [escapedText(guard), guardQuestions[guard], 'not asked', '']),
      ],
    ),
  );
}
