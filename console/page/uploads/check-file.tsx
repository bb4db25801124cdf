import { useState } from 'preact/hooks';
import type { CheckAnswer } from '../../api-work.ts';
import { ask, problemFrom, stagePath, withQuery, type ShownProblem } from '../connection/ask.ts';
import { mayUpload } from '../connection/session.ts';
import { Panel, ProblemNote, Table } from '../frame/answer.tsx';
import { OutcomeWord } from '../words/outcome.tsx';
import { type Mapping, MappingFields } from './mapping.tsx';
import { Send } from './send-file.tsx';

interface Chosen {
  readonly file: File;
  readonly key: string;
  readonly answer?: CheckAnswer;
  readonly problem?: ShownProblem;
}

/**
 * A file is checked by the rules of the stage before it is sent. Its bytes go to the console's
 * process on this machine, and no further.
 */
export function CheckFile({ stage, onSent }: { readonly stage: string; readonly onSent: () => void }) {
  const [chosen, setChosen] = useState<Chosen>();
  const [isOver, setOver] = useState(false);
  const [mapping, setMapping] = useState<Mapping>({});

  const check = async (file: File, key: string, given = mapping) => {
    setChosen({ file, key });
    try {
      const path = withQuery(stagePath(stage, 'check'), { key, ...given });
      const answer = await ask<CheckAnswer>(path, { method: 'POST', body: file });
      setChosen({ file, key, answer });
    } catch (error) {
      setChosen({ file, key, problem: problemFrom(error) });
    }
  };
  const take = (files?: FileList | null) => {
    const file = files?.[0];
    if (file !== undefined) void check(file, `datasets/${file.name}`);
  };
  return (
    <Panel title="Check a file">
      <div
        class={`drop ${isOver ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer?.files);
        }}
      >
        <label>
          Choose a file, or drop it here
          <input
            type="file"
            accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,.xlsx"
            onChange={(event) => take(event.currentTarget.files)}
          />
        </label>
        <p class="dim">
          It is checked on this machine.{' '}
          {mayUpload() ? 'It goes to the stage only if you send it.' : 'Nothing is sent to the stage.'}
        </p>
      </div>
      <div role="status">{chosen === undefined ? null : <Verdict chosen={chosen} />}</div>
      {chosen?.problem === undefined ? null : <ProblemNote problem={chosen.problem} />}
      {chosen === undefined ? null : (
        <MappingFields
          mapping={mapping}
          change={(changed) => {
            setMapping(changed);
            // The words of one label alone say nothing.
            const isWhole = (changed.true === undefined) === (changed.false === undefined);
            if (isWhole) void check(chosen.file, chosen.key, changed);
          }}
        />
      )}
      {chosen?.answer === undefined ? null : (
        <>
          <Send
            key={`${chosen.file.name} ${chosen.key}`}
            stage={stage}
            chosen={{ ...chosen, answer: chosen.answer }}
            mapping={mapping}
            check={check}
            onSent={onSent}
          />
          <Problems answer={chosen.answer} />
        </>
      )}
    </Panel>
  );
}

function Verdict({ chosen: { file, answer, problem } }: { readonly chosen: Chosen }) {
  return (
    <>
      <p>
        <strong>{file.name}</strong> <span class="dim">{file.size.toLocaleString('en')} bytes</span>{' '}
        {answer === undefined ? problem === undefined ? 'is checked…' : null : <OutcomeWord outcome={answer.verdict} />}
      </p>
      {answer === undefined ? null : <Found answer={answer} />}
    </>
  );
}

function Found({
  answer: { rows, blocking, changes, warnings, first, sample, rule, ruleUnknownBecause },
}: {
  readonly answer: CheckAnswer;
}) {
  return (
    <>
      <p>
        {rows} rows, {blocking} to block.{' '}
        {rule === undefined ? (
          <span class="dim">{ruleUnknownBecause ?? 'No rule of the stage takes this key.'}</span>
        ) : (
          <span>
            The rule for <code>{rule.prefix}</code>{' '}
            {rule.check === 'none' ? (
              'registers it as it is, and checks nothing.'
            ) : (
              <>
                checks it as <code>{rule.check}</code>.
              </>
            )}
          </span>
        )}
      </p>
      {warnings.map((words) => (
        <p key={words}>◆ {words}</p>
      ))}
      {first === undefined ? null : (
        <p>
          The first row reads: {first.prompt}, {String(first.label)}
        </p>
      )}
      {sample === undefined || sample === first?.prompt ? null : <p>The first prompt beyond ASCII reads: {sample}</p>}
      {changes.length === 0 || rule?.check === 'none' ? null : (
        <>
          <p>As it is the gateway does not read it. A converted copy would differ so:</p>
          <ul>
            {changes.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Each problem beside its row, below what a person can do: a file may have hundreds. */
function Problems({ answer: { problemsByRow, more } }: { readonly answer: CheckAnswer }) {
  return (
    <>
      {problemsByRow.length === 0 ? null : (
        <Table label="Problems of the file" head={['row', 'problem']}>
          {problemsByRow.map(({ row = '–', says }) => (
            <tr key={`${row} ${says}`}>
              <th scope="row" class="number">
                {row}
              </th>
              <td class="words">{says}</td>
            </tr>
          ))}
        </Table>
      )}
      {more === 0 ? null : <p>{more} more problems are not shown.</p>}
    </>
  );
}
