/**
 * Makes campaign runs ahead for `autopilot bind`: one-off schedules at the gateway's own API, far in
 * the future, one a day. It needs Node alone. `node examples/fill-pool.mjs --help` has its options.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const help = `node examples/fill-pool.mjs --gateway URL --campaign UUID --provider UUID [options]

Makes one-off schedules far ahead at the gateway, each with one run, checks that the
runs are scheduled, and prints the line that gives their ids to Autopilot.

  --gateway URL      address of the gateway; its token in AUTOPILOT_GATEWAY_TOKEN
  --campaign UUID    campaign whose runs are made
  --provider UUID    provider that the runs attack; up to five, each with its --provider
  --run NAME         configured run that gets the ids       (default nightly)
  --count N          how many runs, 1 to 100                (default 30)
  --start-at TIME    RFC 3339 time of the first, the others a day apart each (default
                     in a year); a run that Autopilot has not used by then begins
  --dry-run          shows what would be made, and sends nothing
  --help             this text
`;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const dayMs = 24 * 60 * 60_000;
/** Between two runs: two a second, as `requestsPerSecond.reads` has it by default. */
const pauseMs = 500;

/** What is wrong, in sentences for the person. */
const problem = (message, exitCode = 1) => Object.assign(new Error(message), { exitCode });
const wrong = (message) => problem(`${message}\nNothing was made. --help lists the options.`, 2);

function readOptions() {
  const string = { type: 'string' };
  const boolean = { type: 'boolean' };
  const texts = { gateway: string, campaign: string, run: string, count: string, 'start-at': string };
  const options = { ...texts, provider: { ...string, multiple: true }, 'dry-run': boolean, help: boolean };
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw wrong(`${error.message.split('. ')[0]}.`);
  }
}

function planOf({ gateway, campaign, provider: providers = [], run = 'nightly', count = '30', ...others }) {
  for (const [name, value] of Object.entries({ gateway, campaign, provider: providers[0] })) {
    if (value === undefined) throw wrong(`--${name} is missing.`);
  }
  for (const id of [campaign, ...providers]) if (!uuid.test(id)) throw wrong(`"${id}" is not a uuid.`);
  if (providers.length > 5) throw wrong(`A schedule takes up to 5 providers, not ${providers.length}.`);
  if (!/^(?:[1-9]\d?|100)$/.test(count)) throw wrong(`--count ${count} is not a whole number from 1 to 100.`);
  if (!/^[\w-]{1,80}$/.test(run)) throw wrong(`--run "${run}" is not the name of a run: letters, digits, _ and -.`);
  const first = timeOf(others['start-at'] ?? new Date(Date.now() + 365 * dayMs).toISOString());
  const dates = Array.from({ length: Number(count) }, (_, day) => new Date(first + day * dayMs).toISOString());
  return { root: rootOf(gateway), campaignId: campaign, providerIds: providers, run, dates };
}

function timeOf(text) {
  const time = /^\d{4}-\d\d-\d\dT.+(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw wrong(`--start-at ${text} is not a time such as 2027-12-01T00:00:00Z.`);
  if (time <= Date.now()) throw wrong(`--start-at ${text} is in the past.`);
  return time;
}

function rootOf(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHere = url?.protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol === 'https:' || isHere) return `${url.origin}${url.pathname.replace(/\/+$/, '')}/backend/v1`;
  throw wrong(`--gateway ${text} is not an address: write it with https://, or http:// for this machine.`);
}

function readToken() {
  const token = process.env.AUTOPILOT_GATEWAY_TOKEN ?? '';
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw wrong('AUTOPILOT_GATEWAY_TOKEN has to hold the token of the gateway, and nothing else.');
}

/** Sends one request; gives the answer's JSON, or throws a problem with the gateway's words. */
async function call(path, { root, token }, body) {
  const method = body === undefined ? 'GET' : 'POST';
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(30_000);
  let response;
  let text;
  try {
    response = await fetch(root + path, { method, headers, body: JSON.stringify(body), redirect: 'manual', signal });
    text = await response.text();
  } catch (error) {
    const made =
      method === 'GET' ? '' : `\nIt may have made the schedule "${body.name}" all the same: see its console.`;
    throw problem(`${method} ${path}: the gateway gave no answer (${error.cause?.code ?? error.message}).${made}`);
  }
  const answer = parsed(text);
  if (response.status === 200 && answer !== undefined) return answer;
  const hints = {
    401: ' Check the token.',
    403: ' The token may not do this.',
    404: ' Check the address and the ids.',
  };
  const hint = hints[response.status] ?? '';
  throw problem(`${method} ${path}: the gateway answered ${response.status}${wordsOf(answer)}.${hint}`);
}

function parsed(text) {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

/** What the gateway says of a refusal, as one line that a terminal can print. */
function wordsOf(answer) {
  const words = [answer?.detail ?? answer?.message ?? []]
    .flat()
    .map((item) => (item?.msg === undefined ? String(item) : `${[item.loc].flat().join('.')}: ${item.msg}`));
  return words.length === 0 ? '' : `: ${words.join('; ').replaceAll(/\p{C}/gu, ' ').slice(0, 500)}`;
}

async function makeRun(startAt, { run, campaignId, providerIds, ...gateway }, made) {
  const name = `${run} ${startAt.slice(0, 10)}`;
  const schedule = { name, startAt, campaignId, providerIds, frequency: 'days', interval: 1, count: 1 };
  const { campaignRunId: id } = await call('/campaign-schedules', gateway, schedule);
  if (!uuid.test(id)) throw problem(`The schedule "${name}" was made, but its answer has no campaignRunId.`);
  made.push(id);
  const { campaignRun } = await call(`/campaign-runs/${id}`, gateway);
  const { status, campaignId: shown = campaignId } = campaignRun ?? {};
  const isOther = shown !== null && shown !== campaignId;
  if (status !== 'scheduled' || isOther) {
    made.pop();
    const says = isOther ? `belongs to the campaign ${shown}` : `is not scheduled but "${status}"`;
    throw problem(`Run ${id} ${says}: it is left out.`);
  }
  process.stderr.write(`${id} is scheduled for ${startAt}\n`);
}

async function fill(plan) {
  const made = [];
  let isInterrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => (isInterrupted = true));
  try {
    for (const startAt of plan.dates) {
      if (isInterrupted) throw problem('Interrupted.', 130);
      if (made.length > 0) await sleep(pauseMs);
      await makeRun(startAt, plan, made);
    }
  } catch (error) {
    error.message += `\n${made.length} of ${plan.dates.length} runs were made.`;
    throw error;
  } finally {
    if (made.length > 0) process.stdout.write(`npx --no -- autopilot bind ${plan.run} ${made.join(' ')}\n`);
  }
}

async function main() {
  const options = readOptions();
  if (options.help) return process.stdout.write(help);
  const plan = planOf(options);
  const { root, dates, run } = plan;
  if (options['dry-run']) {
    const span = `from ${dates[0]} to ${dates.at(-1)}`;
    return process.stdout.write(`Would make ${dates.length} runs for ${run} at ${root}, ${span}.\n`);
  }
  await fill({ ...plan, token: readToken() });
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode ?? 1;
}
