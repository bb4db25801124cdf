import dns from 'node:dns';
import { onTestFinished } from 'vitest';

/** What a name resolves to: an address, or the code that the resolver fails with. */
export type Resolution = '127.0.0.1' | '127.0.0.2' | 'ENOTFOUND' | 'EAI_AGAIN';

/** The machine's resolver for one name, until the test ends; the client asks it through `node:net` and takes no other. */
export interface NameServer {
  /** From now on the name resolves so. */
  resolve(resolution: Resolution): void;
  /** How often the name was asked for. */
  lookups(): number;
}

type Callback = (error: Error | null, addresses?: { address: string; family: number }[]) => void;

/** Answers for `localhost`: the one name that a base URL may use without TLS. */
export function nameServer(first: Resolution): NameServer {
  let resolution = first;
  let lookups = 0;
  const { lookup } = dns;

  function answer(name: string, options: { readonly all?: boolean }, callback: Callback): void {
    if (name !== 'localhost' || options.all !== true) throw new Error(`nobody here knows ${name}`);
    lookups += 1;
    if (resolution.startsWith('127.')) callback(null, [{ address: resolution, family: 4 }]);
    else callback(Object.assign(new Error(`getaddrinfo ${resolution} ${name}`), { code: resolution }));
  }

  // node:net reads the property at each connection: nothing in the client is replaced.
  Object.defineProperty(dns, 'lookup', { value: answer, configurable: true, writable: true });
  onTestFinished(() => {
    Object.defineProperty(dns, 'lookup', { value: lookup, configurable: true, writable: true });
  });
  return {
    resolve: (next) => {
      resolution = next;
    },
    lookups: () => lookups,
  };
}
