import { StringDecoder } from 'node:string_decoder';
import { type DatasetVisitor, mostRecordBytes, tooLong } from './dataset-form.ts';
import { ofFile, type Place } from './file-findings.ts';
import { linesOf } from './read-table.ts';
import type { TextEncoding } from './text-encoding.ts';

/** Reads JSON Lines: a value a line. */
export async function readJsonLines(
  text: AsyncGenerator<Buffer>,
  encoding: TextEncoding,
  visitor: DatasetVisitor,
): Promise<void> {
  if (!visitor.begin({ kind: 'json-lines', encoding })) return;
  let line = 0;
  let row = 1;
  for await (const found of linesOf(text)) {
    line += 1;
    if (found.length > mostRecordBytes) return visitor.problem(tooLong({ row, line }));
    if (found.trim() === '') continue;
    visitor.json(found, { row, line });
    row += 1;
  }
}

/** Reads a JSON array element by element: never more than one is held. */
export async function readJsonArray(
  text: AsyncGenerator<Buffer>,
  encoding: TextEncoding,
  visitor: DatasetVisitor,
): Promise<void> {
  if (!visitor.begin({ kind: 'json-array', encoding })) return;
  const decoder = new StringDecoder();
  const elements = new ArraySplitter((element, place) => visitor.json(element, place));
  for await (const piece of text) {
    elements.push(decoder.write(piece));
    if (elements.heldLength > mostRecordBytes) return visitor.problem(tooLong(elements.place));
  }
  const problem = elements.end();
  if (problem !== undefined) visitor.problem(ofFile(problem));
}

/** Finds the elements of an array by its brackets, commas and texts. What is in them is not judged. */
class ArraySplitter {
  readonly #take: (element: string, place: Place) => void;
  #held = '';
  #at = 0;
  #depth = 0;
  #isInText = false;
  #hasMore = false;
  #place: Place = { row: 1, line: 1 };

  constructor(take: (element: string, place: Place) => void) {
    this.#take = take;
  }

  get heldLength(): number {
    return this.#held.length;
  }

  get place(): Place {
    return this.#place;
  }

  push(piece: string): void {
    this.#held += piece;
    const signs = /["\\[\]{},]/g;
    signs.lastIndex = this.#at;
    for (let sign = signs.exec(this.#held); sign !== null; sign = signs.exec(this.#held)) {
      if (sign[0] === '\\') {
        // An escape of which the rest has not come yet.
        if (sign.index + 1 === this.#held.length) {
          this.#at = sign.index;
          return;
        }
        if (this.#isInText) signs.lastIndex = sign.index + 2;
      } else if (this.#see(sign[0], sign.index)) signs.lastIndex = 0;
    }
    this.#at = this.#held.length;
  }

  /** Returns true if the text was cut behind this sign. */
  #see(sign: string, index: number): boolean {
    if (sign === '"') this.#isInText = !this.#isInText;
    if (sign === '"' || this.#isInText) return false;
    if (sign === ',' && this.#depth === 1) {
      this.#hasMore = true;
      return this.#cut(index, true);
    }
    if (sign === '[' || sign === '{') {
      this.#depth += 1;
      if (this.#depth > 1) return false;
      this.#held = this.#held.slice(index + 1);
      return true;
    }
    if (sign === ',') return false;
    this.#depth -= 1;
    return this.#depth === 0 ? this.#cut(index, this.#hasMore) : false;
  }

  #cut(index: number, isElement: boolean): boolean {
    const element = this.#held.slice(0, index);
    const before = /^\s*/.exec(element)?.[0] ?? '';
    const line = this.#place.line + (before.match(/\n/g)?.length ?? 0);
    if (isElement || element.trim() !== '') this.#take(element.trim(), { row: this.#place.row, line });
    this.#place = { row: this.#place.row + 1, line: this.#place.line + (element.match(/\n/g)?.length ?? 0) };
    this.#held = this.#held.slice(index + 1);
    return true;
  }

  /** What is wrong with the array as a whole, once it was read. */
  end(): string | undefined {
    if (this.#depth > 0) return 'the JSON array is never closed: is the file cut off?';
    return this.#held.trim() === '' ? undefined : 'something follows the JSON array';
  }
}
