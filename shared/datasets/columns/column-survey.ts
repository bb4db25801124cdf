import { mostColumns } from '../file/dataset-form.ts';
import { columnName, isColumnName, plainName, shownCell, typedName } from './column-mapping.ts';
import { readLabel } from './label-words.ts';

/** More distinct words than two labels have in any common set: the column is no label. */
const mostWords = 8;
const mostShown = 4;

/** A name as columns with labels often have it. */
const likelyName = /label|class|toxic|jailbreak|harm|type|expected|attack|malicious|safe|verdict|category/i;

/** The cells of a row by the names of their columns. */
export type NamedCells = Iterable<readonly [name: string, text: string]>;

/** Counts the words of each column, to tell a person which one may be the label. */
export class ColumnSurvey {
  /** `undefined`: it has too many words. */
  readonly #columns = new Map<string, Map<string, number> | undefined>();

  add(cells: NamedCells): void {
    for (const [name, text] of cells) {
      if (!this.#columns.has(name) && this.isFull) continue;
      const words = this.#columns.has(name) ? this.#columns.get(name) : new Map<string, number>();
      const word = text.trim().slice(0, 40);
      words?.set(word, (words.get(word) ?? 0) + 1);
      this.#columns.set(name, words === undefined || words.size > mostWords ? undefined : words);
    }
  }

  /** Rows have more columns than any has: their names are no names of columns. */
  get isFull(): boolean {
    return this.#columns.size > mostColumns;
  }

  /** The names of all columns. */
  names(): readonly string[] {
    return [...this.#columns.keys()];
  }

  /**
   * The columns that may be the label, the likeliest first, each with its words.
   * @param shown - the names as they stand in the file
   */
  likely(prompt: string, shown: readonly string[]): readonly string[] {
    const ranked = [...this.#columns].flatMap(([name, words]) => {
      if (words === undefined || words.size < 2 || name === prompt || name === '') return [];
      const rows = [...words.values()].reduce((sum, count) => sum + count, 0);
      const isKnown = [...words.keys()].every((word) => readLabel(word) !== undefined);
      const isNamed = likelyName.test(name);
      if (![...words.keys()].every(isWord) || !(isKnown || isNamed || words.size < rows)) return [];
      return [{ name, isKnown, isNamed }];
    });
    const known = ranked.filter(({ isKnown }) => isKnown);
    const sorted = (known.length > 0 ? known : ranked).toSorted((a, b) => Number(b.isNamed) - Number(a.isNamed));
    return sorted.slice(0, mostShown).map(({ name }) => {
      const original = shown.find((one) => columnName(one) === name) ?? name;
      return `${typedName(plainName(original))} (${this.wordsOf(name)})`;
    });
  }

  /** The words of a column with their counts; only how many, if one is a text. */
  wordsOf(name: string): string {
    const words = this.#columns.get(name);
    if (words === undefined) return `more than ${mostWords} words`;
    const rows = [...words.values()].reduce((sum, count) => sum + count, 0);
    if (![...words.keys()].every(isWord)) return `${words.size} words in ${rows} rows`;
    return [...words].map(([word, count]) => `${shownWord(word)} ${count}`).join(', ');
  }
}

/** In quotes if it could be taken for a count. */
function shownWord(word: string): string {
  if (word === '') return 'empty';
  return isColumnName(word) ? word : JSON.stringify(word);
}

function isWord(word: string): boolean {
  return word === '' || shownCell(word).startsWith('"');
}
