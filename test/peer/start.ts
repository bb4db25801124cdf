/**
 * `node --import ./shared/require-node.mjs test/peer/start.ts --port N`: a peer for a person, until
 * Ctrl-C. It prints what happens at it, a line each. A stage runs against it by
 * `AUTOPILOT_GATEWAY_TOKEN=… npm start -- --gateway http://127.0.0.1:N`.
 */
import { parseArgs } from 'node:util';
import type { LateAnswer } from './behaviour.ts';
import { peerToken, startPeer } from './peer.ts';
import { peerIds } from './seed.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4020' },
    'late-stop': { type: 'string', default: '200' },
    'late-start': { type: 'string', default: '200' },
    'ahead-seconds': { type: 'string', default: '0' },
    'length-minutes': { type: 'string', default: '45' },
    /** The campaign and the runs that a configuration names; without them the peer has some of its own. */
    campaign: { type: 'string', default: peerIds.campaigns.nightly },
    run: { type: 'string', multiple: true },
    runs: { type: 'string', default: '5' },
  },
});

function numberOf(name: 'port' | 'ahead-seconds' | 'length-minutes' | 'runs'): number {
  const number = Number(values[name]);
  if (Number.isNaN(number)) throw new Error(`--${name} ${values[name]} is not a number`);
  return number;
}

function answerOf(name: 'late-stop' | 'late-start'): LateAnswer {
  const answers: readonly LateAnswer[] = [200, 409, 'names the field', 'names no field'];
  const answer = answers.find((one) => String(one) === values[name]);
  if (answer === undefined) throw new Error(`--${name} takes ${answers.join(', ')}`);
  return answer;
}

const lengthMs = numberOf('length-minutes') * 60_000;
const token = process.env['AUTOPILOT_GATEWAY_TOKEN'] ?? peerToken;
const peer = await startPeer({
  port: numberOf('port'),
  tokens: [token],
  behaviour: {
    lateStop: answerOf('late-stop'),
    lateStart: answerOf('late-start'),
    aheadMs: numberOf('ahead-seconds') * 1_000,
    courseOf: () => ({ lengthMs }),
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const farAhead = new Date(Date.now() + 365 * 24 * 60 * 60_000);
const { campaign } = values;
peer.state.campaigns.set(campaign, { id: campaign, name: 'Nightly' });
const ids = (values.run ?? Array.from({ length: numberOf('runs') }, () => undefined)).map(
  (id) => peer.addRun({ id, campaignId: campaign, startAt: farAhead, name: 'nightly' }).id,
);
say(`The peer listens at ${peer.url}${token === peerToken ? `, its token is ${token}` : ''}.`);
say(`Campaign ${campaign}, provider ${peerIds.providers.first}, runs scheduled far ahead:`);
for (const id of ids) say(`  ${id}`);

let saidCount = peer.effects().length;
let requestCount = 0;
const look = setInterval(() => {
  for (const { method, path, answer } of peer.requests.slice(requestCount)) {
    say(
      `${method} ${path} ${answer?.status ?? 'no answer'}${answer?.status === 422 ? JSON.stringify(answer.body) : ''}`,
    );
  }
  requestCount = peer.requests.length;
  for (const effect of peer.effects().slice(saidCount)) say(JSON.stringify(effect));
  saidCount = peer.effects().length;
}, 500);

function stop(): void {
  clearInterval(look);
  void peer.close();
}
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
