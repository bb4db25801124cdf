import { InvalidInputError } from '../../gateway-client/failures/errors.ts';
import { parseBaseUrl, parseProxyUrl } from '../../gateway-client/addresses.ts';
import { isLoopback } from '../../net/loopback.ts';
import { type Parsed, parsed, parseProblem } from '../../schedule/duration.ts';

/**
 * Reads the gateway's address as the client will. It is in no problem itself: it may hold a
 * password.
 */
export function checkBaseUrl(text: string, options: { readonly isLocalStage: boolean }): Parsed<string> {
  return sentence('https://gateway.example.com', () => {
    const { origin, pathPrefix } = parseBaseUrl(text);
    if (!options.isLocalStage && isThisMachine(new URL(origin).hostname)) {
      return parseProblem(
        'is this very machine (loopback), which only a local stage can reach; write the https:// address of the gateway.',
      );
    }
    return parsed(`${origin}${pathPrefix}`);
  });
}

/** Reads the address of the outbound proxy as the client will; it is in no problem either. */
export function checkProxy(text: string): Parsed<string> {
  return sentence('http://proxy.example.com:3128', () => {
    parseProxyUrl(text);
    return parsed(text);
  });
}

/** Every name and address by which a machine reaches itself. */
function isThisMachine(hostname: string): boolean {
  return isLoopback(hostname) || /(?:^|\.)localhost\.?$|^0\.0\.0\.0$|^\[::\]$|^\[::ffff:(?:7f|0:)/.test(hostname);
}

function sentence(example: string, read: () => Parsed<string>): Parsed<string> {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return parseProblem(`${error.message.slice(error.field.length + 1)}, such as "${example}".`);
  }
}
