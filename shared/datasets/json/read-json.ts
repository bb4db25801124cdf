import { isColumnName, type KnownColumns } from '../columns/column-mapping.ts';
import { breaksIn, type DatasetVisitor, linesOf, mostRecordBytes, tooLong } from '../file/dataset-form.ts';
import { type FoundProblem, inRow, ofFile, ofLine, type Place } from '../file/file-findings.ts';
import type { TextEncoding } from '../file/text-encoding.ts';
import { jsonMistake } from './json-mistakes.ts';
import { type FoundList, listsIn, nextSign, stepAt, valueEnd } from './scan-json.ts';
import { jsonIn } from '../../text/json-in.ts';
import { hasColumn } from './prompt-object.ts';

/** What is known of a JSON text before it is read. */
interface JsonContext {
  readonly encoding: TextEncoding;
  readonly columns: KnownColumns;
}

/** Reads JSON Lines, a JSON array, or the list in a JSON object. */
export function readJsonText(text: string, context: JsonContext, visitor: DatasetVisitor): void {
  const { encoding } = context;
  const start = text.search(/\S/);
  if (text[start] === '[') {
    if (visitor.begin({ kind: 'json-array', encoding })) readArray(text, start, visitor);
    return;
  }
  const end = valueEnd(text, start);
  const isLong = end < 0 ? /[\r\n]/.test(text.slice(start, start + 1_000)) : breaksIn(text.slice(start, end)) > 0;
  const isAlone = end > 0 && text.slice(end).trim() === '';
  const lists =
    isAlone && !(!isLong && hasColumn(text.slice(start, end), context.columns.prompt)) ? listsIn(text, start) : [];
  if (lists.length > 0) return readLists(text, lists, { visitor, encoding });
  if (isLong)
    return visitor.problem(ofFile(jsonMistake(text.slice(start, start + mostRecordBytes))?.says ?? severalLines));
  readLines(text, encoding, visitor);
}

const severalLines = 'the file is JSON over several lines: write one object a line (JSON Lines), or an array of them';

/** Reads JSON Lines: a value a line. */
function readLines(text: string, encoding: TextEncoding, visitor: DatasetVisitor): void {
  if (!visitor.begin({ kind: 'json-lines', encoding })) return;
  let line = 0;
  let row = 1;
  for (const found of linesOf(text.includes('\n') ? text : text.replaceAll('\r', '\n'))) {
    line += 1;
    if (found.length > mostRecordBytes) return visitor.problem(tooLong({ row, line }));
    if (found.trim() === '') continue;
    visitor.json(found, { row, line });
    row += 1;
  }
}

/** Reads an array of all of the text. */
function readArray(text: string, start: number, visitor: DatasetVisitor): void {
  const end = eachElement(text, start, visitor);
  if (end === undefined || text.slice(end).trim() === '') return;
  visitor.problem(ofFile('something follows the JSON array'));
}

/**
 * Gives the elements of an array one by one: never more than one is made. They are found by brackets, commas and texts. What is in them is
 * not judged.
 * @returns the place behind the array, unless there is a problem
 */
function eachElement(text: string, start: number, visitor: Pick<DatasetVisitor, 'json' | 'problem'>) {
  let [depth, from, row, line] = [0, start + 1, 1, 1 + breaksIn(text.slice(0, start))];
  for (let at = nextSign(text, start); at >= 0; at = nextSign(text, at + 1)) {
    if (at - from > mostRecordBytes) return visitor.problem(tooLong({ row, line }));
    const step = stepAt(text, at);
    depth += step;
    if (step > 0 || depth !== step + 1) continue;
    const element = text.slice(from, at);
    if (element.trim() !== '') giveElement(element, { row, line }, visitor);
    else if (step === 0) visitor.problem(ofLine(line, 'two commas follow each other'));
    else if (row > 1) visitor.problem(ofLine(line, 'the comma after the last item is no JSON: delete it'));
    [from, row, line] = [at + 1, row + 1, line + breaksIn(element)];
    if (depth < 1) return at + 1;
  }
  const mistake = jsonMistake(text.slice(start, start + mostRecordBytes));
  return visitor.problem(ofFile(mistake?.says ?? 'the JSON array is never closed: is the file cut off?'));
}

/** Gives an element with the line on which it begins. */
function giveElement(element: string, { row, line }: Place, visitor: Pick<DatasetVisitor, 'json'>): void {
  const before = element.length - element.trimStart().length;
  visitor.json(element.trim(), { row, line: line + breaksIn(element.slice(0, before)) });
}

/** Reads the one list that holds the rows, or lists of texts by category. */
function readLists(
  text: string,
  lists: readonly FoundList[],
  { visitor, encoding }: { readonly visitor: DatasetVisitor; readonly encoding: TextEncoding },
): void {
  const objects = lists.filter((list) => list.of === 'objects');
  const texts = lists.filter((list) => list.of === 'texts');
  const rows = objects.find(({ path, at }) => path.join() === 'rows' && wrapsRows.test(text.slice(at, at + 200)));
  const only = rows ?? oneOf(objects) ?? (objects.length === 0 ? oneOf(texts) : undefined);
  if (only !== undefined) {
    if (visitor.begin({ kind: 'json-list', encoding, part: shownPath(only) })) eachElement(text, only.at, visitor);
    return;
  }
  const isByCategory = texts.length === lists.length && lists.every(({ path }) => path.length === 1);
  if (!isByCategory) return visitor.problem(severalLists(lists));
  if (visitor.begin({ kind: 'categories', encoding, header: ['prompt', 'category'] }))
    readCategories(text, texts, visitor);
}

/** As an interface of public sets answers: each row stands in an object with its number. */
const wrapsRows = /^\[\s*\{\s*(?:"row_idx"\s*:\s*\d+\s*,\s*)?"row"\s*:/;

function oneOf<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** A key as it is shown: of a text that is no name only that it is one. */
function shownPath({ path }: FoundList): string {
  return path.map((key) => (isColumnName(key) ? key : '(a text)')).join('.');
}

function severalLists(lists: readonly FoundList[]): FoundProblem {
  const names = lists.map(shownPath);
  const shown = [...names.slice(0, 8), ...(names.length > 8 ? [`${names.length - 8} more`] : [])].join(', ');
  const path = /^[\w.]+$/.test(names[0] ?? '') ? (names[0] ?? '') : 'LIST';
  return ofFile(`the file is a JSON object of ${names.length} lists: ${shown}. Cut one out, such as jq .${path} FILE`);
}

/** The category is a column. */
function readCategories(text: string, lists: readonly FoundList[], visitor: DatasetVisitor): void {
  let rows = 0;
  for (const { path, at } of lists) {
    eachElement(text, at, {
      problem: (problem) => visitor.problem(problem),
      json(element, { line }) {
        rows += 1;
        const prompt = jsonIn(element);
        if (typeof prompt === 'string') visitor.row([prompt, path.join('.')], { row: rows, line });
        else visitor.problem(inRow({ row: rows, line }, 'it is no text'));
      },
    });
  }
}
