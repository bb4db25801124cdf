/** What is used of saxen, which ships no types: https://github.com/nikku/saxen. */
declare module 'saxen' {
  /** Puts the characters that entities stand for in their place. */
  type DecodeEntities = (text: string) => string;

  export class Parser {
    on(
      event: 'openTag',
      tell: (name: string, attributes: () => Readonly<Record<string, string>>, decode: DecodeEntities) => void,
    ): this;
    /** Comes for an element that closes itself, too. */
    on(event: 'closeTag', tell: (name: string) => void): this;
    on(event: 'text', tell: (text: string, decode: DecodeEntities) => void): this;
    on(event: 'comment' | 'question' | 'attention', tell: () => void): this;
    on(event: 'cdata', tell: (text: string) => void): this;
    on(event: 'error', tell: (error: Error) => void): this;
    /** The next piece of a document; it may end anywhere. */
    write(piece: string): unknown;
    end(): unknown;
  }
}
