import { without } from '../mutant.ts';

const client = 'test/integration/shared/gateway-client';
const table = 'test/unit/shared/gateway-client/classify-failure.test.ts';

const edge = ['test/faults/transport/edge.test.ts'];
const gate = ['test/unit/functions/_gateway/create-gate.test.ts'];

/** What keeps a call from being made twice, from hanging, and from passing the token on. */
export const gatewayMutants = [
  ...without('shared/gateway-client/transport/transport.ts', ['test/faults/transport/no-answer.test.ts'], {
    'whether a request was sent is seen at the socket, not guessed': ['this.#controller !== undefined;', 'false;'],
  }),
  ...without('shared/gateway-client/transport/transport.ts', ['test/unit/shared/gateway-client/transport.test.ts'], {
    'a request that undici puts back is not written twice': ['#isOver || this.#controller !== undefined', '#isOver'],
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
  ...without('shared/gateway-client/failures/error-details.ts', edge, {
    'a page is not taken for the word of the gateway': [
      "if (document === undefined) return 'edge';",
      'if (document === undefined) return undefined;',
    ],
  }),
  ...without('shared/gateway-client/failures/classify-failure.ts', [table], {
    'what an edge refuses parks no stop': "  if (verb === 'patch') return later('no');\n",
    'an edge that refuses every caller closes the gate': [
      "ofEveryCaller.has(status) ? () => later('no', { suspectsOutage: true })",
      "ofEveryCaller.has(status) ? () => later('no')",
    ],
    'a 100 that was not asked for closes the gate at once': [
      "factsOf(failure).causeCode === 'UNASKED_CONTINUE'",
      'factsOf(failure).causeCode === failure.kind',
    ],
  }),
  ...without('shared/gateway-client/transport/transport.ts', edge, {
    'a connection that leads to the wrong server is not used again': [
      'result.status === misdirected',
      'result.status === misdirected * 10',
    ],
    'each address of a host has a second': '    autoSelectFamilyAttemptTimeout: eachAddressMs,\n',
    'headers over 16 KB are read': '      maxHeaderSize: maxHeaderBytes,\n',
  }),
  ...without('shared/ledger/rows/command-row.ts', ['test/unit/functions/register-datasets/send/send-dataset.test.ts'], {
    'an upload that an edge refuses now and then is not parked': ' || isOld',
  }),
  ...without('operator/needs/gateway-needs.ts', edge, {
    'what an edge refuses for ten minutes is a need': ['ageMs < longestRefusedMs)', 'ageMs > 0)'],
  }),
  ...without('shared/gateway-client/transport/transport.ts', ['test/faults/transport/freeze.test.ts'], {
    'a dataset goes out on a connection of its own': ['if (!request.fresh)', 'if (request.method !== undefined)'],
  }),
  ...without('shared/gateway-client/transport/transport.ts', ['test/faults/transport/broken-answer.test.ts'], {
    'a call ends when its time is up, whatever drips in': ['request.totalMs);', 'request.totalMs * 1000);'],
    'an answer is read up to a cap': ['if (this.#bytes > this.#cap) this.end', 'if (this.#bytes > Infinity) this.end'],
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
  ...without('shared/gateway-client/transport/connectors.ts', [`${client}/proxy.test.ts`], {
    'whatever follows a refused tunnel is not taken for the gateway': ['status < 200 || status > 299', 'status < 0'],
    'a tunnel that never comes ends at its deadline': ['  }, timeoutMs);', '  }, timeoutMs * 1000);'],
  }),
  ...without('shared/gateway-client/addresses.ts', ['test/unit/shared/config/resolve-automation.test.ts'], {
    'a password in the address of a proxy does not ship': [
      "if (url.username !== '' || url.password !== '' || text.includes('@')) {",
      'if (false) {',
    ],
  }),
  ...without('shared/config/schema/ca-bundle.ts', ['test/unit/shared/config/way-to-the-gateway.test.ts'], {
    'a private key beside the certificates does not ship': ['/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)', 'false'],
  }),
  ...without('shared/gateway-client/client.ts', [`${client}/tokens.test.ts`], {
    'a 401 makes the client read the token again and repeat': ['(isFirst401(error, tokens)) await', '(false) await'],
  }),
  ...without('functions/_gateway/gate-moves.ts', gate, {
    'a pause that the gateway asks for holds all workers': [
      'Math.max(msUntil(gate?.pausedUntil, now), ',
      'Math.max(0, ',
    ],
    'several different failures in a row close the gate': ['suspectsThatClose = 3;', 'suspectsThatClose = Infinity;'],
    'one run that is refused again and again does not close the gate': 'if (before.includes(about)) return undefined;',
    'a real call that is answered opens a gate whose probe an edge refuses':
      '  if (gate.closed?.refusedBy !== undefined) return opened(gate);\n',
    'one caller at a time probes a closed gate': ['timeAfter(now, probeLeaseMs)', 'gate.closed.probeAt'],
  }),
  ...without(
    'functions/register-datasets/claim-upload.ts',
    ['test/unit/functions/register-datasets/at-the-gate.test.ts'],
    {
      'an upload waits at a closed gate before it is claimed': ['if (waitMs > 0) {', 'if (waitMs > Infinity) {'],
    },
  ),
];
