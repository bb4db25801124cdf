import type { Mutant } from '../mutant.ts';

const client = 'test/integration/shared/gateway-client';
const table = 'test/unit/shared/gateway-client/classify-failure.test.ts';

const gate = ['test/unit/functions/_gateway/create-gate.test.ts'];

/** What keeps a call from being made twice, from hanging, and from passing the token on. */
export const gatewayMutants: readonly Mutant[] = [
  {
    name: 'whether a request was sent is seen at the socket, not guessed',
    file: 'shared/gateway-client/transport/transport.ts',
    from: 'requestSent: watched.controller !== undefined,',
    to: 'requestSent: false,',
    tests: ['test/faults/transport/no-answer.test.ts'],
  },
  {
    name: 'a request that undici puts back is not written twice',
    file: 'shared/gateway-client/transport/transport.ts',
    from: 'if (this.isOver || this.controller !== undefined) return',
    to: 'if (this.isOver) return',
    tests: ['test/unit/shared/gateway-client/transport.test.ts'],
  },
  {
    name: 'a dataset whose request was sent and not answered is parked',
    file: 'shared/gateway-client/failures/classify-failure.ts',
    from: "  post: park('unknown', 'POST_OUTCOME_UNKNOWN', { suspectsOutage: true }),\n};\n\n/** A 2xx says",
    to: "  post: later('unknown'),\n};\n\n/** A 2xx says",
    tests: [table],
  },
  {
    name: 'a 2xx whose body is broken counts as applied',
    file: 'shared/gateway-client/failures/classify-failure.ts',
    from: "post: park('yes', 'APPLIED_ID_UNKNOWN', { suspectsOutage: true }),",
    to: "post: later('no'),",
    tests: [table],
  },
  {
    name: 'a dataset goes out on a connection of its own',
    file: 'shared/gateway-client/transport/transport.ts',
    from: 'if (!request.fresh) return exchange(shared, request);',
    to: 'if (request.method !== undefined) return exchange(shared, request);',
    tests: ['test/faults/transport/freeze.test.ts'],
  },
  {
    name: 'a call ends when its time is up, whatever drips in',
    file: 'shared/gateway-client/transport/transport.ts',
    from: '}, request.totalMs);',
    to: '}, request.totalMs * 1000);',
    tests: ['test/faults/transport/broken-answer.test.ts'],
  },
  {
    name: 'a call that is still connecting ends when its time is up',
    file: 'shared/gateway-client/transport/transport.ts',
    from: 'timeUp.reject(outOfTime);',
    to: '',
    tests: [`${client}/proxy.test.ts`],
  },
  {
    name: 'an answer is read up to a cap',
    file: 'shared/gateway-client/transport/transport.ts',
    from: 'if (bytes > cap) body.destroy(tooBig);',
    to: 'if (bytes > Infinity) body.destroy(tooBig);',
    tests: ['test/faults/transport/broken-answer.test.ts'],
  },
  {
    name: 'a certificate that is not trusted is never accepted',
    file: 'shared/gateway-client/transport/transport.ts',
    from: 'rejectUnauthorized: true,',
    to: 'rejectUnauthorized: false,',
    tests: [`${client}/certificates.test.ts`],
  },
  {
    name: 'whatever follows a refused tunnel is not taken for the gateway',
    file: 'shared/gateway-client/transport/addresses.ts',
    from: 'if (status < 200 || status > 299) return',
    to: 'if (status < 0) return',
    tests: [`${client}/proxy.test.ts`],
  },
  {
    name: 'a tunnel that never comes ends at its deadline',
    file: 'shared/gateway-client/transport/addresses.ts',
    from: '  }, timeoutMs);',
    to: '  }, timeoutMs * 1000);',
    tests: [`${client}/proxy.test.ts`],
  },
  {
    name: 'a password in the address of a proxy does not ship',
    file: 'shared/gateway-client/transport/addresses.ts',
    from: "if (url.username !== '' || url.password !== '' || text.includes('@')) {",
    to: 'if (false) {',
    tests: ['test/unit/shared/config/resolve-automation.test.ts'],
  },
  {
    name: 'a private key beside the certificates does not ship',
    file: 'shared/config/check-base-url.ts',
    from: 'if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {',
    to: 'if (false) {',
    tests: ['test/unit/shared/config/way-to-the-gateway.test.ts'],
  },
  {
    name: 'a 401 makes the client read the token again and repeat',
    file: 'shared/gateway-client/call.ts',
    from: 'if (isFirst401(error, tokens)) await takeNewToken(deps, progress, error);',
    to: 'if (false) await takeNewToken(deps, progress, error);',
    tests: [`${client}/tokens.test.ts`],
  },
  {
    name: 'a pause that the gateway asks for holds all workers',
    file: 'functions/_gateway/gate-row.ts',
    from: 'const waitMs = Math.max(pauseMs, probeMs);',
    to: 'const waitMs = probeMs;',
    tests: gate,
  },
  {
    name: 'several different failures in a row close the gate',
    file: 'functions/_gateway/gate-row.ts',
    from: 'const suspectsThatClose = 3;',
    to: 'const suspectsThatClose = Infinity;',
    tests: gate,
  },
  {
    name: 'one run that is refused again and again does not close the gate',
    file: 'functions/_gateway/gate-row.ts',
    from: 'if (before.includes(about)) return undefined;',
    to: '',
    tests: gate,
  },
  {
    name: 'one caller at a time probes a closed gate',
    file: 'functions/_gateway/gate-row.ts',
    from: 'probeAt: timeAfter(now, probeLeaseMs) } };',
    to: 'probeAt: gate.closed.probeAt } };',
    tests: gate,
  },
  {
    name: 'an upload waits at a closed gate before it is claimed',
    file: 'functions/register-datasets/claim-upload.ts',
    from: 'if (waitMs > 0) {',
    to: 'if (waitMs > Infinity) {',
    tests: ['test/unit/functions/register-datasets/at-the-gate.test.ts'],
  },
  {
    name: 'the cursor is taken out of an address of the next page',
    file: 'shared/gateway-client/endpoints/list-scanner-packages.ts',
    from: 'if (!addressStart.test(text)) return text;',
    to: 'if (text !== undefined) return text;',
    tests: [`${client}/pages.test.ts`],
  },
];
