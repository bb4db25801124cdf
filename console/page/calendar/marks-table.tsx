import { Nothing, Table } from '../frame/answer.tsx';
import { linkTo, route } from '../frame/route.ts';
import { Badge, OutcomeWord } from '../words/outcome.tsx';
import { Sentence, Time } from '../words/time.tsx';
import type { Mark } from './marks.ts';

/** Every mark as a row, for those who read rather than look. The row of now parts what was from what would be. */
export function MarksTable({ marks, now }: { readonly marks: readonly Mark[]; readonly now: number }) {
  if (marks.length === 0) return <Nothing>Nothing was asked and nothing is planned in this period.</Nothing>;
  const past = marks.filter(({ at }) => at <= now);
  return (
    <Table label="Commands of the period" head={['when', 'command', 'outcome', 'why', 'asked by']}>
      {past.map((mark) => (
        <Row key={mark.key} mark={mark} />
      ))}
      <tr class="now">
        <td colSpan={5}>
          <strong>now</strong> <Time at={new Date(now).toISOString()} />
        </td>
      </tr>
      {marks.slice(past.length).map((mark) => (
        <Row key={mark.key} mark={mark} />
      ))}
    </Table>
  );
}

function Row({ mark }: { readonly mark: Mark }) {
  const text = `${mark.action} ${mark.run}`;
  return (
    <tr>
      <td>
        <Time at={new Date(mark.at).toISOString()} />
      </td>
      <th scope="row">
        {mark.action === 'start' && !mark.isPlanned ? (
          <a href={linkTo(route.value.stage, 'run', mark.id)}>{text}</a>
        ) : (
          text
        )}
      </th>
      <td>
        <OutcomeWord outcome={mark.outcome} reason={mark.reason} />
        {mark.isPlanned ? <Badge>planned</Badge> : null}
        {mark.until === undefined ? null : (
          <span class="dim">
            {' '}
            until <Time at={new Date(mark.until).toISOString()} />
          </span>
        )}
      </td>
      <td class="words">
        <Sentence text={mark.detail} />
      </td>
      <td>{mark.by}</td>
    </tr>
  );
}

/** The shape of a mark, around its own zero. Each outcome has a shape of its own, so no colour is needed to tell them apart. */
export function MarkShape({ mark: { outcome, action } }: { readonly mark: Mark }) {
  return (
    <>
      <rect class="target" x="-9" y="-9" width="18" height="18" />
      <Shape outcome={outcome} action={action} />
    </>
  );
}

function Shape({ outcome, action }: Pick<Mark, 'outcome' | 'action'>) {
  switch (outcome) {
    case 'skipped':
      return <path class="shape" d="M0 -6 L6 0 L0 6 L-6 0 Z" />;
    case 'deferred':
      return <path class="shape hollow" d="M0 -6 L6 0 L0 6 L-6 0 Z" />;
    case 'parked':
      return <path class="shape" d="M0 -6 L6 5 L-6 5 Z" />;
    case 'applied':
      return action === 'stop' ? (
        <rect class="shape" x="-4" y="-4" width="8" height="8" />
      ) : (
        <circle class="shape" r="5" />
      );
    default:
      return <circle class="shape hollow" r="4" />;
  }
}
