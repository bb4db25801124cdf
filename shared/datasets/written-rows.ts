import { csvField } from '../text/csv-field.ts';
import { headLength } from './file/dataset-form.ts';
import { maxPromptLabelBytes } from './prompt-label-csv.ts';

/** What is written, in pieces: of a text that grows each row would stay in memory. */
export class WrittenRows {
  readonly #pieces: Buffer[] = [];
  #text = 'prompt,label\n';
  #bytes = 0;

  add(prompt: string, isBlocking: boolean | undefined): void {
    this.#text += `${csvField(prompt)},${String(isBlocking)}\n`;
    if (this.#text.length > headLength) this.#flush();
  }

  /** What the gateway would not take is held no longer, and no more is read. */
  get isTooLarge(): boolean {
    return this.#bytes > maxPromptLabelBytes;
  }

  bytes(): Buffer {
    this.#flush();
    return Buffer.concat(this.#pieces);
  }

  #flush(): void {
    const piece = Buffer.from(this.#text);
    this.#text = '';
    this.#bytes += piece.length;
    this.#pieces.push(piece);
    if (this.isTooLarge) this.#pieces.length = 0;
  }
}
