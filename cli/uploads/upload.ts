import type { Step } from '#shared/text/step.ts';
import type { CommandWriter, TextScreen } from '../terminal/times.ts';
import { basename } from 'node:path';
import {
  type Command,
  type CommandDeps,
  type CommandResult,
  type ExitCode,
  exitCodes,
  exitOfReport,
  gravestExit,
} from '../terminal/command.ts';
import { type CommandArguments, patienceOf, waitingOptions } from '../terminal/arguments.ts';
import type { WaitLimit } from '#operator/outcomes/outcome-report.ts';
import { outcomeLines } from '../terminal/output.ts';
import { blanksOf, convertCommand, hiddenMapping, judgedLines, planUploads, rowLines } from './upload-arguments.ts';
import {
  type FileIds,
  fileIdsOf,
  ignoredSentence,
  type KnownRules,
  knownRules,
  type MetRule,
  rulesMet,
  type UploadedFiles,
  uploadFiles,
  type UploadReport,
} from '#operator/uploads/upload-file.ts';
import type { JudgedFile } from '#operator/uploads/judge-file.ts';
import { checkSources, convertSources } from '#operator/uploads/judge-sources.ts';
import { judgeBytes } from '#operator/uploads/file-looker.ts';
import { readingOptions } from '#operator/uploads/reading-options.ts';
import { withNamesakes } from '#operator/uploads/namesakes.ts';
import { listParked } from '#operator/parked/parked-rows.ts';
import { type PlannedUpload, readUploadFiles, type UploadSource } from '#operator/uploads/upload-source.ts';
export const command: Command = {
  line: {
    says: "Puts files into the stage's bucket and prints each dataset id, or why there is none.",
    words: { '<FILE...>': '' },
    options: {
      '--prefix <P>': 'where: pii means datasets/pii/ (default datasets/)',
      '--key <KEY>': { says: 'the whole key, for one file', conflicts: ['prefix'] },
      '--file-id <ID>': "the gateway's file id, before that of the rule",
      '--name <NAME>': 'the name of the dataset',
      '--scanner-id <ID>': 'its scanner',
      '--scanner-package-id <ID>': 'its scanner package',
      '--scanner-versions <V,V>': 'its scanner versions',
      '--convert': 'write the form that the gateway reads, with the options of autopilot check',
      ...hiddenMapping,
      '--anyway': 'send also what the check of its rule refuses',
      '--dry-run': 'upload nothing, and say which rule each file meets',
      ...waitingOptions,
    },
    examples: [
      'autopilot upload --prefix pii --name "customers, May" customers.csv',
      'autopilot upload --convert saved-by-excel.csv',
      "autopilot upload *.csv --json | jq -r '.uploads[].datasetId'",
    ],
  },
  async run(args, deps) {
    const planned = planUploads(args);
    const patience = patienceOf(args);
    const isRenamed = args.flag('convert') && args.text('key') === undefined;
    const sources = await readUploadFiles(isRenamed ? await underParkedKeys(planned, deps) : planned);
    const known = await knownRules(deps);
    if (args.flag('dry-run')) return dryRun(sources, known, args);
    sayRules(sources, known, { args, deps });
    if (args.flag('convert')) return uploadConverted(sources, patience, { args, deps, known });
    const checked = await checkSources(sources, args.flag('anyway') ? [] : (known.rules ?? []));
    const uploaded = await withNamesakes(await uploadFiles(checked.sources, patience, deps), known, deps);
    const next = await Promise.all(
      uploaded.uploads.map(async (upload, index) => afterCheck(upload, checked.sources[index], args)),
    );
    return withRefused(
      resultOf(uploaded, (_upload, index, line) =>
        (next[index] ?? []).map(({ says, command: words = [] }) => `  ${says}: ${line(words)}`),
      ),
      checked.refused,
      args,
    );
  },
};

/** What a conversion would make of a file that failed its check: it is offered only if its copy goes through. */
async function afterCheck(
  { file, key, reason, locked }: UploadReport,
  source: UploadSource | undefined,
  args: CommandArguments,
): Promise<readonly Step[]> {
  if (reason !== 'CHECK_FAILED' || locked !== undefined || source === undefined) return [];
  const { verdict, missing } = await judgeBytes(file, source.body);
  if (verdict === 'convertible')
    return [{ says: 'a copy that goes through', command: convertCommand(file, args, ['--key', key]) }];
  return missing === undefined
    ? []
    : [
        {
          says: `with what it lacks in the place of ${blanksOf(missing)}`,
          command: convertCommand(file, args, ['--key', key, ...missing]),
        },
      ];
}

/** A converted .txt is a .csv; but only a newer version of its own key supersedes a row that its original left parked. */
async function underParkedKeys(
  planned: readonly PlannedUpload[],
  { stage, progress }: CommandDeps,
): Promise<readonly PlannedUpload[]> {
  const originals = planned.map(({ file, key }) => key.replace(/[^/]*$/, '') + basename(file));
  if (planned.every(({ key }, index) => key === originals[index])) return planned;
  const rows = await listParked(await stage.ledger());
  return planned.map((upload, index) => {
    const key = originals[index] ?? upload.key;
    const isParked = rows.some(
      (row) => row.kind === 'upload' && row.key === key && row.outcome?.reason === 'CHECK_FAILED',
    );
    if (!isParked || key === upload.key) return upload;
    progress(
      `${upload.file}: goes to ${key}, whose earlier version failed its check. Then parked resolve --dismiss --superseded ends that item`,
    );
    return { ...upload, key };
  });
}

function dryRun(
  sources: readonly UploadSource[],
  { rules, unknownBecause }: KnownRules,
  args: CommandArguments,
): CommandResult {
  const planned = rulesMet(sources, rules ?? [], args.text('name'));
  const isWrong = planned.some(({ isIgnored, nameProblem }) => isIgnored === true || nameProblem !== undefined);
  const words = ({ rule, check, isIgnored }: MetRule) => {
    if (rules === undefined) return `its rule is not known here: ${unknownBecause}`;
    if (isIgnored === true) return 'no rule takes it: it would be ignored';
    return rule === undefined ? 'a sidecar' : `by the rule ${rule}, check ${check}`;
  };
  return {
    exitCode: rules !== undefined && isWrong ? exitCodes.parked : exitCodes.done,
    data: {
      uploads: [],
      planned: rules === undefined ? planned.map(({ isIgnored: _isIgnored, ...met }) => met) : planned,
    },
    render: ({ paint }) => [
      ...planned.flatMap((met) => [
        `${met.file}: ${met.key}, ${words(met)}`,
        ...(met.nameProblem === undefined ? [] : [paint('red', `  ${met.nameProblem}`)]),
      ]),
      'nothing was uploaded',
    ],
  };
}

/** Said before they go: nothing comes of a file that no rule takes, or whose name the gateway refuses. */
function sayRules(
  sources: readonly UploadSource[],
  { rules }: KnownRules,
  { args, deps }: { readonly args: CommandArguments; readonly deps: CommandDeps },
): void {
  if (rules === undefined) return;
  for (const met of rulesMet(sources, rules, args.text('name'))) {
    const sentence = ignoredSentence(met, rules);
    if (sentence !== undefined) deps.progress(sentence);
    if (met.nameProblem !== undefined) deps.progress(`${met.file}: ${met.nameProblem}`);
  }
}

/** Uploads what the gateway reads; a file with problems keeps no other back. */
async function uploadConverted(
  read: readonly UploadSource[],
  patience: WaitLimit,
  { args, deps, known }: { readonly args: CommandArguments; readonly deps: CommandDeps; readonly known: KnownRules },
): Promise<CommandResult> {
  const { judged, sources, refused } = await convertSources(read, readingOptions(args.text));
  const fileIds = fileIdsOf(known, args.text('file-id')?.trim());
  const uploaded = await withNamesakes(await uploadFiles(sources, patience, deps), known, deps);
  const { data, ...result } = resultOf(uploaded, (upload, index) => convertedLines(upload, judged[index], fileIds));
  const all = [...judged.filter((one) => one !== undefined), ...refused];
  return withRefused({ ...result, data: { ...data, converted: all } }, refused, args);
}

function withRefused(result: CommandResult, refused: readonly JudgedFile[], args: CommandArguments): CommandResult {
  if (refused.length === 0) return result;
  return {
    exitCode: gravestExit([result.exitCode ?? exitCodes.done, exitCodes.parked]),
    data: { ...result.data, refused },
    render: (screen, times) => {
      const sent = result.render(screen, times);
      const advice = args.flag('convert') ? '' : '; --anyway sends what the check refuses';
      return [
        ...sent,
        ...refused.flatMap((file) => judgedLines(file, args, screen)),
        sent.length === 0
          ? `nothing was uploaded${advice}`
          : `not sent: ${refused.map(({ file }) => file).join(', ')}${advice}`,
      ];
    },
  };
}

function resultOf(
  { uploads, failed, notSent }: UploadedFiles,
  more: (upload: UploadReport, index: number, line: CommandWriter) => readonly string[] = () => [],
): CommandResult {
  const isCutShort = failed !== undefined || notSent.length > 0;
  return {
    exitCode: isCutShort ? exitCodes.failed : gravestExit(uploads.map((upload) => exitOf(upload))),
    data: { uploads, ...(isCutShort ? { failed, notSent } : {}) },
    render: (screen) => [
      ...uploads.flatMap((upload, index) => [
        ...uploadLines(upload, screen),
        ...(upload.warnings ?? []).map((warning) => screen.paint('yellow', `  warning: ${warning}`)),
        ...more(upload, index, screen.line),
      ]),
      ...(failed === undefined ? [] : [`${failed.file}: ${screen.paint('red', 'failed')}: ${failed.problem}`]),
      ...notSent.map((file) => `${file}: ${screen.paint('yellow', 'not sent')}`),
    ],
  };
}

/** What a conversion changed, the path of the copy, and what the gateway gets of it. */
function convertedLines(upload: UploadReport, judged: JudgedFile | undefined, fileIds: FileIds): readonly string[] {
  const isChanged = judged?.verdict === 'convertible';
  return [
    isChanged ? `  converted: ${judged.changes.join('; ')}` : '  it was ready: its bytes are unchanged',
    ...(judged === undefined ? [] : rowLines(judged)),
    `  key ${upload.key}, ${fileIds(upload)}`,
    `  ${upload.file} and earlier versions of the key stay as they are. A dataset that the gateway already has is unchanged`,
  ];
}

function exitOf(upload: UploadReport): ExitCode {
  // A duplicate is done once the dataset is there: what the person wanted is so.
  if (upload.outcome === 'skipped' && upload.datasetId !== undefined) return exitCodes.done;
  return exitOfReport(upload);
}

function uploadLines(upload: UploadReport, screen: TextScreen): readonly string[] {
  const { paint } = screen;
  const { file, key, datasetId, datasetName } = upload;
  const name = datasetName === undefined ? '' : ` (${datasetName})`;
  if (upload.outcome === 'applied' && datasetId !== undefined) {
    return [`${file}: ${paint('green', 'registered')} with dataset id ${paint('bold', datasetId)}${name}`];
  }
  if (upload.outcome === 'skipped' && datasetId !== undefined) {
    const word = paint('yellow', 'skipped');
    return [`${file}: ${word}, the same bytes are already dataset ${paint('bold', datasetId)}${name}`];
  }
  const lines = outcomeLines(file, upload, screen);
  return upload.outcome === 'sent' ? [`${lines[0]}: ${key} version ${upload.versionId}`] : lines;
}
