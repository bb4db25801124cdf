/** What a person says of a file, by the names of the options of `autopilot check`. */
import { type ColumnMapping, mappingProblem } from '#shared/datasets/columns/column-mapping.ts';
import { readLabel } from '#shared/datasets/columns/label-words.ts';
import type { ReadingOptions } from '#shared/datasets/columns/column-mapping.ts';
import { fieldsOf } from '#shared/datasets/table/table-parser.ts';
import { encodingNamed, type TextEncoding } from '#shared/datasets/file/text-encoding.ts';
import { UsageError } from '../errors.ts';

/** All that the options say. */
export function readingOptions(text: (name: string) => string | undefined): ReadingOptions {
  return { encoding: encodingOf(text('encoding')), sheet: text('sheet'), mapping: mappingOf(text) };
}

/** The encoding that a person names. */
function encodingOf(word: string | undefined): TextEncoding | undefined {
  const named = word === undefined ? undefined : encodingNamed(word);
  if (word !== undefined && named === undefined)
    throw new UsageError(`--encoding ${word} is not known: give one such as windows-1251, gb18030 or shift_jis`);
  return named;
}

/** The mapping that a person gives, by the names of its options. */
function mappingOf(text: (name: string) => string | undefined): ColumnMapping | undefined {
  const [yes, no, label] = [text('true'), text('false'), text('label')];
  if ((yes === undefined) !== (no === undefined))
    throw new UsageError('--true and --false go together: each label needs its words');
  const one = label === undefined ? undefined : readLabel(label);
  if (label !== undefined && one === undefined) throw new UsageError(`--label ${label}: give true or false`);
  const mapping: ColumnMapping = {
    promptColumn: text('prompt-column'),
    labelColumn: text('label-column'),
    labels: yes === undefined || no === undefined ? undefined : { true: wordsIn(yes), false: wordsIn(no) },
    label: one,
  };
  const problem = mappingProblem(mapping);
  if (problem !== undefined) throw new UsageError(`the options do not fit together: ${problem}`);
  return Object.values(mapping).every((value) => value === undefined) ? undefined : mapping;
}

/** Words between commas; one that has a comma stands in quotes. */
function wordsIn(given: string): readonly string[] {
  return fieldsOf(given, ',').map((word) => word.trim());
}
