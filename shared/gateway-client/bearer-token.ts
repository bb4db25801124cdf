import { MalformedTokenError } from './failures/errors.ts';

/** Where the token comes from. One provider may serve many calls at once: it keeps its fetches to one at a time. */
export interface TokenProvider {
  /** The token as last fetched. */
  get(): Promise<string>;
  /** Fetches again, after a 401. */
  refresh(): Promise<string>;
}

/** Servers take 8 KB of headers as a rule; no real token comes near. */
const longestToken = 8192;
const sendable = /^[\u0021-\u007e]+$/;

/** Throws where a token cannot be sent as a header: the value itself is in no message. */
export function assertBearerToken(token: unknown): asserts token is string {
  if (typeof token !== 'string' || token === '') throw new MalformedTokenError('is empty');
  if (token.length > longestToken) throw new MalformedTokenError(`is longer than ${longestToken} characters`);
  if (/^bearer\s/i.test(token)) {
    throw new MalformedTokenError('begins with the word Bearer: store the value alone');
  }
  if (/[\r\n]/.test(token)) throw new MalformedTokenError('holds a line break');
  if (!sendable.test(token)) {
    throw new MalformedTokenError('holds a space, a control character or a character beyond ASCII');
  }
}
