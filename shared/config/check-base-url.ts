import { isLoopback, parseBaseUrl } from '../gateway-client/base-url.ts';
import { InvalidInputError } from '../gateway-client/errors.ts';
import { type Parsed, parsed, problem } from '../schedule/parsed.ts';

/**
 * Reads the gateway's address as the client will, and gives it in the form that ships. The address itself is in no problem: it may hold
 * a password. Loopback is for the stages that run on one machine; deployed, it would be the function itself.
 */
export function checkBaseUrl(text: string, options: { readonly isLocalStage: boolean }): Parsed<string> {
  try {
    const { origin, pathPrefix } = parseBaseUrl(text);
    if (!options.isLocalStage && isLoopback(new URL(origin).hostname)) {
      return problem(
        'is this very machine (loopback), which only a local stage can reach; write the https:// address of the gateway.',
      );
    }
    return parsed(`${origin}${pathPrefix}`);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return problem(`${error.message.slice(error.field.length + 1)}, such as "https://gateway.example.com".`);
  }
}
