import { areShort, idsWords } from '#operator/plan/ids-words.ts';
import type { NowAnswer } from '../../api.ts';
import { Nothing, Panel, Table } from '../frame/answer.tsx';
import { Time } from '../words/time.tsx';

/** Until when the run ids last, and how many starts the month has left. */
export function Budgets({ now: { ids, budgets: known } }: { readonly now: NowAnswer }) {
  const budgets = known ?? [];
  if (ids === undefined) return <Nothing>Run ids and budgets are not known: the stage could not be asked.</Nothing>;
  if (ids.length + budgets.length === 0) return <Nothing>No run is configured, and no campaign has a budget.</Nothing>;
  return (
    <Panel title="Run ids and budgets">
      <ul class="rows">
        {ids.map((of) => (
          <li key={of.run} class="line">
            <strong>{of.run}</strong> <span class="dim">campaign run ids</span>
            <span class={`right ${areShort(of) ? 'bad' : ''}`}>
              {areShort(of) ? '▲ ' : ''}
              {idsWords(of)}
              {of.lastsUntil === undefined ? null : (
                <>
                  , enough until <Time at={of.lastsUntil} />
                </>
              )}
            </span>
          </li>
        ))}
        {budgets.map(({ campaign, month, used, startsPerMonth }) => (
          <li key={campaign} class="line">
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

/** The queues that hold something: most of the time none does. */
export function QueuesPanel({ queues }: Pick<NowAnswer, 'queues'>) {
  const full = queues.filter(({ waiting, inFlight, delayed }) => waiting + inFlight + delayed > 0);
  if (full.length === 0) return <Nothing>Every queue is empty.</Nothing>;
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
