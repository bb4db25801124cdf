import { useEffect } from 'preact/hooks';
import type { StageRow } from '../../api.ts';
import { readStageRows, stageRows } from '../connection/live.ts';
import { Nothing, ProblemNote, Table } from '../frame/answer.tsx';
import { linkTo } from '../connection/route.ts';
import { Badge, NextStep } from '../words/outcome.tsx';
import { Sentence, Time } from '../words/time.tsx';

/** Rows are read again this often while this screen is open: each costs requests in each account. */
const readAgainMs = 60_000;

const head = ['stage', 'needs attention', 'state', 'in flight', 'parked', 'next start', 'where'];

/** Every stage of this console in one row, those that need attention first. A broken one says why and hides no other. */
export function StagesScreen() {
  useEffect(() => {
    void readStageRows();
    const timer = setInterval(() => {
      if (!document.hidden) void readStageRows();
    }, readAgainMs);
    return () => clearInterval(timer);
  }, []);
  const { rows, problem } = stageRows.value;
  return (
    <>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {rows === undefined ? (
        <p class="dim">Reading…</p>
      ) : rows.length === 0 ? (
        <Nothing>This console has no stage.</Nothing>
      ) : (
        <Table label="Stages" head={head}>
          {rows.map((row) => (
            <Row key={row.name} row={row} />
          ))}
        </Table>
      )}
    </>
  );
}

function Row({ row }: { readonly row: StageRow }) {
  const { name, version, inFlight, parked, nextStart } = row;
  return (
    <tr>
      <th scope="row">
        <a href={linkTo(name, 'now')}>{name}</a>
      </th>
      <td class="words">
        <ToDo row={row} />
      </td>
      <td>
        <State row={row} />
      </td>
      <td class="number">{inFlight}</td>
      <td class="number">{parked}</td>
      <td>{nextStart === undefined ? null : <Time at={nextStart} />}</td>
      <td>
        {placeOf(row)}
        <span class="dim"> {version}</span>
      </td>
    </tr>
  );
}

function placeOf({ kind, region, account }: StageRow): string {
  return [kind === 'local' ? 'this machine' : undefined, region, account].filter(Boolean).join(' · ');
}

function ToDo({ row: { name, problem, worst, needs = 0 } }: { readonly row: StageRow }) {
  if (problem === undefined && worst === undefined) return <span class="dim">nothing</span>;
  return (
    <>
      {problem === undefined ? null : <span class="bad">▲ {problem.message} </span>}
      <strong>{worst?.subject}</strong> <Sentence text={worst?.says} />
      <div>
        <NextStep
          step={problem?.command === undefined ? worst?.next : { says: '', command: problem.command }}
          stage={name}
        />
      </div>
      {needs < 2 ? null : <span class="dim"> and {needs - 1} more</span>}
    </>
  );
}

function State({ row: { mode, frozen, gate } }: { readonly row: StageRow }) {
  return (
    <>
      {mode === undefined ? null : <Badge tone={mode === 'act' ? 'good' : 'warn'}>{mode}</Badge>}
      {frozen === true ? <Badge tone="warn">FROZEN</Badge> : null}
      {gate === undefined || gate === 'open' ? null : (
        <Badge tone="bad">{gate === 'closed' ? 'gateway down' : 'gateway paused'}</Badge>
      )}
    </>
  );
}
