import { counted } from '#operator/readable.ts';
import type { NowAnswer } from '../../api.ts';
import { firstThings, type FirstThing } from '../../first-things.ts';
import { live } from '../connection/live.ts';
import { Nothing, Panel, ProblemNote, ProblemNotes, Table } from '../frame/answer.tsx';
import { linkTo, route } from '../frame/route.ts';
import { Badge, cli, CommandLine, OutcomeWord } from '../words/outcome.tsx';
import { Distance, Instant, Sentence, Time } from '../words/time.tsx';
import { HeldBack } from './held-back.tsx';
import { InFlight } from './in-flight.tsx';
import { SwitchActions } from './switch-actions.tsx';

/** What happens at this moment, and what a person should do first. It comes by the stream and moves by itself. */
export function NowScreen() {
  const { now, problem } = live.value;
  if (now === undefined) {
    return problem === undefined ? <p class="dim">Reading…</p> : <ProblemNote problem={problem} />;
  }
  return (
    <>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      <ProblemNotes problems={now.problems} />
      <HeldBack now={now} />
      {/* A freeze has its band above, with the command that ends it. */}
      <FirstThings things={firstThings({ ...now, switches: [] })} />
      <div class="columns">
        <InFlight rows={now.inFlight} />
        <Pending rows={now.pending} />
        <Next schedules={now.schedules} freeze={now.switches.find(({ scope }) => scope === 'stage')} />
        <Supplies supplies={now.supplies} />
        <Elsewhere reports={now.startsElsewhere} />
        <Queues queues={now.queues} />
        <Recent rows={now.recent} />
      </div>
      <SwitchActions now={now} />
    </>
  );
}

function FirstThings({ things }: { readonly things: readonly FirstThing[] }) {
  const { stage } = route.value;
  return (
    <Panel title="To do first" count={things.length}>
      {things.length === 0 ? (
        <Nothing>Nothing needs a person.</Nothing>
      ) : (
        <ol class="todo">
          {things.map(({ says, tone, words, screen }) => (
            <li key={says}>
              <span>
                <span aria-hidden="true" class={tone}>
                  {tone === 'bad' ? '▲ ' : '◆ '}
                </span>
                {says}
              </span>
              {screen === undefined ? null : <a href={linkTo(stage, screen)}>Open {screen}</a>}
              <CommandLine line={cli(...words)} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

function Pending({ rows }: { readonly rows: NowAnswer['pending'] }) {
  return (
    <Panel title="Tried, no outcome yet" count={rows.length}>
      {rows.length === 0 ? (
        <Nothing>Nothing waits for another try.</Nothing>
      ) : (
        <ul class="rows">
          {rows.map(({ id, action, run, since, tries, waitsFor, lastError, nextTryAt, refusals }) => (
            <li key={id}>
              <strong>{[action ?? 'upload', run ?? id].join(' ')}</strong>{' '}
              <span class="dim">
                {tries} {tries === 1 ? 'try' : 'tries'} since <Time at={since} />
              </span>
              {nextTryAt === undefined ? null : (
                <span class="right">
                  next try <Distance at={nextTryAt} />
                </span>
              )}
              <p class="words">
                {refusals?.status === undefined ? null : `HTTP ${refusals.status} ×${refusals.count} `}
                <Sentence text={lastError ?? waitsFor ?? 'The gateway has said nothing yet.'} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

interface NextProps {
  readonly schedules: NowAnswer['schedules'];
  readonly freeze?: NowAnswer['switches'][number];
}

/** Of the schedules that send commands: those that wake a worker are on Settings. A start within a freeze is marked: it will be skipped. */
function Next({ schedules, freeze }: NextProps) {
  const isFrozen = (next: string) => freeze !== undefined && (freeze.until === undefined || next < freeze.until);
  const rows = schedules
    .filter(({ next, action }) => next !== undefined && action !== undefined)
    .toSorted((a, b) => (a.next ?? '').localeCompare(b.next ?? ''));
  return (
    <Panel title="Next" count={rows.length}>
      {rows.length === 0 ? (
        <Nothing>No schedule starts or stops anything.</Nothing>
      ) : (
        <ul class="rows">
          {rows.slice(0, 8).map(({ name, next = '', action, run }) => (
            <li key={name}>
              <strong>
                {action} {run}
              </strong>{' '}
              <span class="dim">by {name}</span>
              {action === 'start' && isFrozen(next) ? <Badge tone="warn">FROZEN</Badge> : null}
              <span class="right">
                <Instant at={next} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Supplies({ supplies }: { readonly supplies: NowAnswer['supplies'] }) {
  if (supplies === undefined) {
    return (
      <Panel title="Supplies">
        <Nothing>Not known: the stage could not be asked.</Nothing>
      </Panel>
    );
  }
  return (
    <Panel title="Supplies">
      <ul class="rows">
        {supplies.bindings.map(({ run, left, isLow }) => (
          <li key={run}>
            <strong>{run}</strong> <span class="dim">campaign run ids</span>
            <span class={`right ${isLow ? 'bad' : ''}`}>
              {isLow ? '▲ low: ' : ''}
              {left} left
            </span>
          </li>
        ))}
        {supplies.budgets.map(({ campaign, month, used, startsPerMonth }) => (
          <li key={campaign}>
            <strong>{campaign}</strong> <span class="dim">starts of {month}</span>
            <span class={`right ${used >= startsPerMonth ? 'bad' : ''}`}>
              <progress max={startsPerMonth} value={used} aria-label={`Starts of ${campaign} in ${month}`} />{' '}
              {Math.max(0, startsPerMonth - used)} of {startsPerMonth} left
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Starts that show at the gateway and that this stage did not make. Only campaigns with a campaign id are watched. */
function Elsewhere({ reports }: { readonly reports: NowAnswer['startsElsewhere'] }) {
  return (
    <Panel title="Started by another person or tool" count={reports?.length}>
      {reports === undefined ? (
        <Nothing>No such start of a watched campaign was reported.</Nothing>
      ) : (
        <ul class="rows">
          {reports.map(({ campaignId, campaigns, starts, from, to, lastRun }) => (
            <li key={`${campaignId} ${from}`}>
              <strong>{campaigns.join(', ')}</strong> {counted(starts, 'start')} between <Time at={from} /> and{' '}
              <Instant at={to} />
              {lastRun === undefined ? null : (
                <p class="dim">
                  last run at the gateway: <code>{lastRun}</code>
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** The queues that hold something: most of the time none does. */
function Queues({ queues }: { readonly queues: NowAnswer['queues'] }) {
  const full = queues.filter(({ waiting, inFlight, delayed }) => waiting + inFlight + delayed > 0);
  if (full.length === 0) {
    return (
      <Panel title="Queues">
        <Nothing>Every queue is empty, and so is every dead-letter queue.</Nothing>
      </Panel>
    );
  }
  return (
    <Panel title="Queues">
      <Table label="Queues" head={['queue', 'waiting', 'in work', 'delayed']}>
        {full.map(({ name, isDeadLetter, waiting, inFlight, delayed }) => (
          <tr key={name} class={isDeadLetter && waiting > 0 ? 'bad' : ''}>
            <th scope="row">{name}</th>
            <td class="number">
              {isDeadLetter && waiting > 0 ? '▲ ' : ''}
              {waiting}
            </td>
            <td class="number">{inFlight}</td>
            <td class="number">{delayed}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

function Recent({ rows }: { readonly rows: NowAnswer['recent'] }) {
  return (
    <Panel title="Ended last" count={rows.length}>
      <ul class="rows">
        {rows.map(({ at, kind, subject, reason, detail }) => (
          <li key={`${at} ${subject}`}>
            <Time at={at} /> <OutcomeWord outcome={kind} reason={reason} /> {subject}
            {detail === undefined ? null : (
              <p class="words">
                <Sentence text={detail} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
