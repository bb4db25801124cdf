import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { UploadAnswer, UploadsAnswer } from '../../api-work.ts';
import { stagePath, withQuery } from '../connection/ask.ts';
import { useAnswer } from '../connection/use-answer.ts';
import { Answer, Nothing, Pages, Panel, Table } from '../frame/answer.tsx';
import { linkTo, route } from '../connection/route.ts';
import { Badge, cli, CommandLine, OutcomeWord } from '../words/outcome.tsx';
import { Distance, Sentence, Time } from '../words/time.tsx';
import { CheckFile } from './check-file.tsx';

type Version = UploadAnswer['versions'][number];

/** Files: check one before it is sent, what became of the newest, and every version of one key. */
export function UploadsScreen() {
  const { stage, subject } = route.value;
  return subject === undefined ? <UploadList stage={stage} /> : <Versions stage={stage} uploadKey={subject} />;
}

function UploadList({ stage }: { readonly stage: string }) {
  const [before, setBefore] = useState<string>();
  const asked = useAnswer<UploadsAnswer>(withQuery(stagePath(stage, 'uploads'), { before }), {
    isFollowed: before === undefined,
  });
  return (
    <>
      <CheckFile stage={stage} onSent={asked.reload} />
      <Panel title="Newest uploads">
        <Answer asked={asked}>
          {({ uploads, nextBefore }) => (
            <>
              {uploads.length === 0 ? (
                <Nothing>There is no upload here.</Nothing>
              ) : (
                <Table label="Uploads" head={['uploaded', 'key', 'outcome', 'why']}>
                  {uploads.map((version) => (
                    <Row key={`${version.key} ${version.versionId}`} version={version}>
                      <a href={linkTo(stage, 'uploads', version.key)}>{version.key}</a>
                    </Row>
                  ))}
                </Table>
              )}
              <Pages before={before} nextBefore={nextBefore} open={setBefore} />
            </>
          )}
        </Answer>
      </Panel>
    </>
  );
}

function Versions({ stage, uploadKey }: { readonly stage: string; readonly uploadKey: string }) {
  const asked = useAnswer<UploadAnswer>(stagePath(stage, 'uploads', uploadKey), { isFollowed: true });
  return (
    <>
      <p class="lead words">
        <a href={linkTo(stage, 'uploads')}>All uploads</a> / <strong>{uploadKey}</strong>
      </p>
      <Answer asked={asked}>
        {({ versions }) =>
          versions.length === 0 ? (
            <Nothing>No version of this key is known.</Nothing>
          ) : (
            <Table label="Versions" head={['uploaded', 'version', 'outcome', 'why']}>
              {versions.map((version) => (
                <Row key={version.versionId} version={version}>
                  <code>{version.versionId}</code>
                </Row>
              ))}
            </Table>
          )
        }
      </Answer>
      <CommandLine line={cli('show', uploadKey)} />
    </>
  );
}

/** What became of one version: its state, its dataset, what the check found, and who decided. */
function Row({ version, children }: { readonly version: Version; readonly children: ComponentChildren }) {
  const { uploadedAt, at = '', state, reason, isObserved, pending, resolutions } = version;
  return (
    <tr>
      <td>
        <Time at={uploadedAt ?? at} />
      </td>
      <th scope="row">{children}</th>
      <td>
        <OutcomeWord outcome={state} reason={reason} isDecided={resolutions !== undefined} />
        {isObserved ? <Badge>observed</Badge> : null}
      </td>
      <td class="words">
        <Dataset version={version} />
        <WhatIsWrong version={version} />
        {pending?.lastError === undefined ? null : (
          <div>
            {pending.tries} {pending.tries === 1 ? 'try' : 'tries'}: <Sentence text={pending.lastError} />
            {pending.nextTryAt === undefined ? null : (
              <span>
                , next try <Distance at={pending.nextTryAt} />
              </span>
            )}
          </div>
        )}
        {resolutions?.map(({ decision, by, reason: because, at: when }) => (
          <div key={when}>
            {decision} by {by}: {because}
          </div>
        ))}
      </td>
    </tr>
  );
}

/** What the worker's own sentence does not say already. */
function Dataset({ version: { datasetId, datasetName, checked, detail = '' } }: { readonly version: Version }) {
  return (
    <>
      {datasetId === undefined || detail.includes(datasetId) ? null : (
        <div>
          dataset <code>{datasetId}</code> {datasetName}
        </div>
      )}
      {checked === undefined || detail.includes(`${checked.rows} row`) ? null : (
        <div class="dim">
          {checked.rows} rows, {checked.blocking} to block, {checked.repeated} repeated
        </div>
      )}
    </>
  );
}

/** Problems beside their rows if the check found any, else the sentence of the worker. */
function WhatIsWrong({ version: { detail, problemsByRow } }: { readonly version: Version }) {
  if (problemsByRow === undefined || problemsByRow.length === 0) return <Sentence text={detail} />;
  return (
    <details>
      <summary>{detail}</summary>
      <ul>
        {problemsByRow.map(({ row = '–', says }) => (
          <li key={`${row} ${says}`}>
            row {row}: {says}
          </li>
        ))}
      </ul>
    </details>
  );
}
