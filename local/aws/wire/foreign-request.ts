/**
 * Loopback is open to every page in the developer's browser. Whoever has no key is the developer here, so requests that a
 * foreign page could send (across sites, or under a name of its own that resolves to this machine) are turned away.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { headerText } from './headers.ts';

const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** Why a request is turned away, or undefined where it may come in. */
export function foreignRequest(headers: IncomingHttpHeaders): string | undefined {
  const host = headerText(headers, 'host') ?? '';
  if (!LOOPBACK_HOST.test(host))
    return `the local runner answers to 127.0.0.1 only, not to ${host}: use path-style addresses`;
  const site = headerText(headers, 'sec-fetch-site') ?? 'none';
  // The front door serves no page of its own; an object that is one is nobody to trust either.
  if (site !== 'none' || headers.origin !== undefined) return 'the local runner takes no requests from web pages';
  return undefined;
}
