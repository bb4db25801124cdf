import { useState } from 'preact/hooks';
import type { CheckAnswer, SentUploadAnswer } from '../../api-work.ts';
import { ask, problemFrom, stagePath, withQuery, type ShownProblem } from '../connection/ask.ts';
import { mayUpload } from '../connection/session.ts';
import { Panel, ProblemNote, Table } from '../frame/answer.tsx';
import { ChangeForm, type Said } from '../frame/dialog.tsx';
import { linkTo, route } from '../frame/route.ts';
import { cli, CommandLine, OutcomeWord } from '../words/outcome.tsx';
import { lookAtOnce } from './first-look.ts';

interface Chosen {
  readonly file: File;
  readonly key: string;
  /** What the page itself sees, before anything is sent. */
  readonly seen: readonly string[];
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
    const seen = lookAtOnce(file.name, new Uint8Array(await file.arrayBuffer()));
    setChosen({ file, key, seen });
    try {
      const path = withQuery(stagePath(stage, 'check'), { key, ...given });
      const answer = await ask<CheckAnswer>(path, { method: 'POST', body: file });
      setChosen({ file, key, seen, answer });
    } catch (error) {
      setChosen({ file, key, seen, problem: problemFrom(error) });
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
            accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson"
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

/** What the file means, by the options of `autopilot check`. */
type Mapping = Readonly<Partial<Record<keyof typeof mappingWords, string>>>;

const mappingWords = {
  'prompt-column': 'Column of the prompts',
  'label-column': 'Column of the labels',
  true: 'Words for true',
  false: 'Words for false',
  label: 'One label for all rows',
} as const;
const mappingNames = ['prompt-column', 'label-column', 'true', 'false', 'label'] as const;

function MappingFields({
  mapping,
  change,
}: {
  readonly mapping: Mapping;
  readonly change: (mapping: Mapping) => void;
}) {
  return (
    <details>
      <summary>Other columns and words</summary>
      <div class="form">
        {mappingNames.map((name) => (
          <label key={name}>
            {mappingWords[name]}
            <input
              value={mapping[name] ?? ''}
              onChange={(event) => change({ ...mapping, [name]: event.currentTarget.value || undefined })}
            />
          </label>
        ))}
      </div>
    </details>
  );
}

function optionsOf(mapping: Mapping): readonly string[] {
  return mappingNames.flatMap((name) => (mapping[name] === undefined ? [] : [`--${name}`, mapping[name]]));
}

function Verdict({ chosen: { file, seen, answer, problem } }: { readonly chosen: Chosen }) {
  return (
    <>
      <p>
        <strong>{file.name}</strong> <span class="dim">{file.size.toLocaleString('en')} bytes</span>{' '}
        {answer === undefined ? problem === undefined ? 'is checked…' : null : <OutcomeWord outcome={answer.verdict} />}
      </p>
      {seen.map((words) => (
        <p key={words}>◆ {words}</p>
      ))}
      {answer === undefined ? null : <Found answer={answer} />}
    </>
  );
}

function Found({
  answer: { rows, blocking, changes, warnings, sample, rule, ruleUnknownBecause },
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
      {sample === undefined ? null : <p>The first prompt beyond ASCII reads: {sample}</p>}
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

/** How a checked file goes to the stage: as it is, converted, or not at all. A rule that checks nothing takes every file as it is. Pure. */
function wayToSend({ verdict, rule }: CheckAnswer): 'as it is' | 'converted' | undefined {
  if (verdict === 'ready' || rule?.check === 'none') return 'as it is';
  if (verdict === 'problems') return undefined;
  return rule?.convert === undefined ? 'converted' : 'as it is';
}

/** The key, and the form that sends. Nothing is sent under a key for which the file was not checked, or did not pass. */
function Send({
  stage,
  chosen: { file, key, answer },
  mapping,
  check,
  onSent,
}: {
  readonly stage: string;
  readonly chosen: Chosen & { readonly answer: CheckAnswer };
  readonly mapping: Mapping;
  readonly check: (file: File, key: string) => Promise<void>;
  readonly onSent: () => void;
}) {
  const [wantedKey, setKey] = useState(key);
  const [sent, setSent] = useState<SentUploadAnswer>();
  const thenStart = answer.rule?.thenStart;
  const way = wantedKey === key ? wayToSend(answer) : undefined;
  const convert = way === 'converted' ? { convert: 'yes', ...mapping } : {};
  const send = async ({ because, typed }: Said) => {
    const path = withQuery(stagePath(stage, 'uploads'), { key, because, typed, ...convert });
    setSent(await ask<SentUploadAnswer>(path, { method: 'POST', body: file }));
    onSent();
  };
  return (
    <>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          setSent(undefined);
          void check(file, wantedKey);
        }}
      >
        <label>
          Key
          <input required value={wantedKey} onInput={(event) => setKey(event.currentTarget.value)} />
        </label>
        <button type="submit">Check for this key</button>
      </form>
      {mayUpload() && !mayUpload(thenStart) ? (
        <p>
          Its rule starts <code>{thenStart}</code>. This console may not (no --allow upload-and-start).
        </p>
      ) : null}
      {way === undefined || sent !== undefined || !mayUpload(thenStart) ? null : (
        <ChangeForm verb={way === 'converted' ? 'Convert and send' : 'Send it'} change={send} hasCancel={false} />
      )}
      <div role="status">
        {sent === undefined ? null : (
          <p>
            ● Sent as <a href={linkTo(route.value.stage, 'uploads', sent.key)}>{sent.key}</a>
            {sent.versionId === undefined ? null : (
              <>
                , version <code>{sent.versionId}</code>
              </>
            )}
            . Its outcome is shown there.
          </p>
        )}
      </div>
      {way === undefined ? null : (
        <CommandLine
          line={cli(
            'upload',
            ...(way === 'converted' ? ['--convert', ...optionsOf(mapping)] : []),
            '--key',
            wantedKey,
            file.name,
          )}
        />
      )}
    </>
  );
}
