import { without } from '../mutant.ts';

const client = 'test/integration/shared/gateway-client';
const table = 'test/unit/shared/gateway-client/classify-failure.test.ts';

const gate = ['test/unit/functions/_gateway/create-gate.test.ts'];

/** What keeps a call from being made twice, from hanging, and from passing the token on. */
export const gatewayMutants = [
  ...without('shared/gateway-client/transport/transport.ts', ['test/faults/transport/no-answer.test.ts'], {
    'whether a request was sent is seen at the socket, not guessed': [
      'const requestSent = this.#controller !== undefined;',
      'const requestSent = false;',
    ],
  }),
  ...without('shared/gateway-client/transport/transport.ts', ['test/unit/shared/gateway-client/transport.test.ts'], {
    'a request that undici puts back is not written twice': [
      'if (this.#isOver || this.#controller !== undefined) return',
      'if (this.#isOver) return',
    ],
  }),
  ...without('shared/gateway-client/failures/classify-failure.ts', [table], {
    'a dataset whose request was sent and not answered is parked': [
      "  post: park('unknown', 'POST_OUTCOME_UNKNOWN', { suspectsOutage: true }),\n};\n\n/** A 2xx says",
      "  post: later('unknown'),\n};\n\n/** A 2xx says",
    ],
    'a 2xx whose body is broken counts as applied': [
      "post: park('yes', 'APPLIED_ID_UNKNOWN', { suspectsOutage: true }),",
      "post: later('no'),",
    ],
  }),
  ...without('shared/gateway-client/transport/transport.ts', ['test/faults/transport/freeze.test.ts'], {
    'a dataset goes out on a connection of its own': [
      'if (!request.fresh) return exchange(shared, request);',
      'if (request.method !== undefined) return exchange(shared, request);',
    ],
  }),
  ...without('shared/gateway-client/transport/transport.ts', ['test/faults/transport/broken-answer.test.ts'], {
    'a call ends when its time is up, whatever drips in': ['request.totalMs);', 'request.totalMs * 1000);'],
    'an answer is read up to a cap': [
      'if (this.#bytes > this.#cap) this.end(tooBig);',
      'if (this.#bytes > Infinity) this.end(tooBig);',
    ],
  }),
  ...without('shared/gateway-client/transport/transport.ts', [`${client}/proxy.test.ts`], {
    'a call that is still connecting ends when its time is up': [
      'if (this.#isOver) return;',
      'if (this.#isOver || (this.#controller === undefined && brokenBy === outOfTime)) return;',
    ],
  }),
  ...without('shared/gateway-client/transport/transport.ts', [`${client}/certificates.test.ts`], {
    'a certificate that is not trusted is never accepted': ['rejectUnauthorized: true,', 'rejectUnauthorized: false,'],
  }),
  ...without('shared/gateway-client/transport/addresses.ts', [`${client}/proxy.test.ts`], {
    'whatever follows a refused tunnel is not taken for the gateway': [
      'if (status < 200 || status > 299) return',
      'if (status < 0) return',
    ],
    'a tunnel that never comes ends at its deadline': ['  }, timeoutMs);', '  }, timeoutMs * 1000);'],
  }),
  ...without('shared/gateway-client/transport/addresses.ts', ['test/unit/shared/config/resolve-automation.test.ts'], {
    'a password in the address of a proxy does not ship': [
      "if (url.username !== '' || url.password !== '' || text.includes('@')) {",
      'if (false) {',
    ],
  }),
  ...without('shared/config/check-base-url.ts', ['test/unit/shared/config/way-to-the-gateway.test.ts'], {
    'a private key beside the certificates does not ship': [
      'if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {',
      'if (false) {',
    ],
  }),
  ...without('shared/gateway-client/call.ts', [`${client}/tokens.test.ts`], {
    'a 401 makes the client read the token again and repeat': [
      'if (isFirst401(error, tokens)) await takeNewToken(deps, progress, error);',
      'if (false) await takeNewToken(deps, progress, error);',
    ],
  }),
  ...without('functions/_gateway/gate-row.ts', gate, {
    'a pause that the gateway asks for holds all workers': [
      'const waitMs = Math.max(pauseMs, probeMs);',
      'const waitMs = probeMs;',
    ],
    'several different failures in a row close the gate': [
      'const suspectsThatClose = 3;',
      'const suspectsThatClose = Infinity;',
    ],
    'one run that is refused again and again does not close the gate': 'if (before.includes(about)) return undefined;',
    'one caller at a time probes a closed gate': [
      'probeAt: timeAfter(now, probeLeaseMs) } };',
      'probeAt: gate.closed.probeAt } };',
    ],
  }),
  ...without(
    'functions/register-datasets/claim-upload.ts',
    ['test/unit/functions/register-datasets/at-the-gate.test.ts'],
    {
      'an upload waits at a closed gate before it is claimed': ['if (waitMs > 0) {', 'if (waitMs > Infinity) {'],
    },
  ),
  ...without('shared/gateway-client/endpoints/scanner-packages.ts', [`${client}/pages.test.ts`], {
    'the cursor is taken out of an address of the next page': [
      'if (!addressStart.test(next)) return next;',
      'if (next !== undefined) return next;',
    ],
  }),
];
