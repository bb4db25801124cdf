import { useState } from 'preact/hooks';
import type { CheckAnswer, SentUploadAnswer } from '../../api-work.ts';
import { ask, stagePath, withQuery } from '../connection/ask.ts';
import { mayUpload } from '../connection/session.ts';
import { ChangeForm, type Said } from '../frame/dialog.tsx';
import { linkTo, route } from '../connection/route.ts';
import { cli, CommandLine } from '../words/outcome.tsx';
import { type Mapping, optionsOfMapping } from './mapping.tsx';

/** How a checked file goes to the stage: as it is, converted, or not at all. A rule that checks nothing takes every file as it is. Pure. */
function wayToSend({ verdict, rule }: CheckAnswer): 'as it is' | 'converted' | undefined {
  if (verdict === 'ready' || rule?.check === 'none') return 'as it is';
  if (verdict === 'problems') return undefined;
  return rule?.convert === undefined ? 'converted' : 'as it is';
}

/** The key, and the form that sends. Nothing is sent under a key for which the file was not checked, or did not pass. */
export function Send({
  stage,
  chosen: { file, key, answer },
  mapping,
  check,
  onSent,
}: {
  readonly stage: string;
  readonly chosen: { readonly file: File; readonly key: string; readonly answer: CheckAnswer };
  readonly mapping: Mapping;
  readonly check: (file: File, key: string) => Promise<void>;
  readonly onSent: () => void;
}) {
  const [wantedKey, setKey] = useState(key);
  const [sent, setSent] = useState<SentUploadAnswer>();
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
      <StartsToo run={answer.rule?.thenStart} />
      {way === undefined || sent !== undefined || !mayUpload(answer.rule?.thenStart) ? null : (
        <ChangeForm verb={way === 'converted' ? 'Convert and send' : 'Send it'} change={send} hasCancel={false} />
      )}
      <div role="status">{sent === undefined ? null : <Sent sent={sent} />}</div>
      {way === undefined ? null : (
        <CommandLine
          line={cli(
            'upload',
            ...(way === 'converted' ? ['--convert', ...optionsOfMapping(mapping)] : []),
            '--key',
            wantedKey,
            file.name,
          )}
        />
      )}
    </>
  );
}

/** The key and the version that the file became. */
function Sent({ sent: { key, versionId } }: { readonly sent: SentUploadAnswer }) {
  return (
    <p>
      ● Sent as <a href={linkTo(route.value.stage, 'uploads', key)}>{key}</a>
      {versionId === undefined ? null : (
        <>
          , version <code>{versionId}</code>
        </>
      )}
      . Its outcome is shown there.
    </p>
  );
}

/** Why a file that starts a run is not sent by a console that may only upload. */
function StartsToo({ run }: { readonly run: string | undefined }) {
  if (!mayUpload() || mayUpload(run)) return null;
  return (
    <p>
      Its rule starts <code>{run}</code>. This console may not (no --allow upload-and-start).
    </p>
  );
}
