import { without } from '../mutant.ts';

const uploads = 'test/unit/functions/register-datasets';
const states = [`${uploads}/crashes.test.ts`, `${uploads}/same-content.test.ts`];
const sending = [`${uploads}/send/send-dataset.test.ts`, `${uploads}/crashes.test.ts`];

/** What keeps a dataset from being made twice, and an upload from being lost. */
export const uploadMutants = [
  ...without('functions/register-datasets/claim-upload.ts', [`${uploads}/crashes.test.ts`], {
    'the mark SENDING is written before the request': [
      'const row = await claimed.deps.ledger.write(inTable(claimed.row), marked);',
      'const row = { ...marked, version: claimed.row.version, writer: claimed.row.writer };',
    ],
  }),
  ...without(
    'functions/register-datasets/claim-upload.ts',
    [`${uploads}/interleavings.test.ts`, `${uploads}/crashes.test.ts`],
    {
      'of two first deliveries at once the one that writes SENDING first sends': [
        'const row = await claimed.deps.ledger.write(inTable(claimed.row), marked);',
        'const before = inTable(claimed.row) ?? (await claimed.deps.ledger.read<UploadRow>(claimed.row.pk));\n  const row = await claimed.deps.ledger.write(before, marked);',
      ],
      'who fails before sending gives back only what is its own': 'row.owner === context.attemptId && ',
    },
  ),
  ...without('functions/register-datasets/upload-states.ts', [`${uploads}/interleavings.test.ts`], {
    'content that an upload without a row has reserved is not taken over': ["return 'under-way';", "return 'free';"],
  }),
  ...without('functions/_handler/queue-worker.ts', ['test/unit/functions/_handler/queue-worker.test.ts'], {
    'each record of a batch is an attempt with a name of its own': [
      'id: `${invocation.requestId}.${begun}`',
      'id: invocation.requestId',
    ],
  }),
  ...without('functions/register-datasets/upload-states.ts', states, {
    'a delivery that follows one without a mark leaves one': [
      'receiveCount <= 1 ? claimed(0, false) : claimed(1);',
      'receiveCount <= 0 ? claimed(1) : claimed(0, false);',
    ],
    'an upload whose sender died is never claimed again': ["?? { kind: 'mark-unknown' },", '?? claimed(row.crashes),'],
    'a lease that holds keeps a second worker away from a request that is being sent': [
      "(row, now) => untilPast(row.leaseUntil, now, 'another worker sends it') ?? { kind: 'mark-unknown' },",
      "() => ({ kind: 'mark-unknown' }),",
    ],
    'an upload that crashes its worker again and again is parked': ['mostCrashes = 3;', 'mostCrashes = Infinity;'],
  }),
  ...without('functions/register-datasets/send-dataset.ts', sending, {
    'only the owner of the request writes down how it ended': ['return current.owner === sending.owner', 'return true'],
    'a failure is written into the row of its own request only': '&& current.owner === owner ',
    'an id in hand settles a row that a person took for unknown': [
      'return isGuess && current.sentAt === sending.sentAt;',
      'return false;',
    ],
    'the record of an answer is tried until the time is up': 'if (context.remainingMs() < pauseMs + reserveMs) ',
  }),
  ...without('functions/register-datasets/claim-upload.ts', [`${uploads}/register-upload.test.ts`], {
    'no request is begun that the platform could cut': [
      'if (context.remainingMs() < callBudgetMs)',
      'if (context.remainingMs() < 0)',
    ],
  }),
  ...without('functions/register-datasets/claim-upload.ts', [`${uploads}/same-content.test.ts`], {
    'the same request with the same bytes is made once': [
      "if (its === 'binds' && holder !== undefined) return holder;",
      "if (its === 'binds') return undefined;",
    ],
  }),
  ...without('functions/register-datasets/upload-states.ts', [`${uploads}/same-content.test.ts`], {
    'an upload binds the request that it was sent as, and no other one': [
      "return claim === 'binds' && wasSentAsAnother(row, datasetKey) ? 'free' : claim;",
      'return claim;',
    ],
  }),
  ...without(
    'functions/reconcile-ledger/watched-prefixes.ts',
    ['test/unit/functions/reconcile-ledger/lost-uploads.test.ts'],
    {
      'a lost upload is looked for since its prefix, or a wider one, was first seen': [
        'since ?? sinceOf(seen, prefix) ?? now.toISOString()',
        'since ?? seen[prefix] ?? now.toISOString()',
      ],
    },
  ),
  ...without('functions/register-datasets/prepare-upload.ts', [`${uploads}/latest-version.test.ts`], {
    'of a key whose rule takes the latest only, an older version is not registered': [' === versionId', " !== ''"],
  }),
  ...without('functions/register-datasets/prepare-upload.ts', [`${uploads}/one-file-at-a-time.test.ts`], {
    'of large files one at a time is asked for and in memory': [
      'return object.sizeBytes <= smallFileBytes ? read() : deps.checking(read);',
      'return read();',
    ],
    'a file that is opened is let go of': ['using opened = await deps.objects', 'const opened = await deps.objects'],
  }),
  ...without('functions/register-datasets/prepare-upload.ts', [`${uploads}/register-upload.test.ts`], {
    'a file that is too large is not read': ['(({ bytes }) => sizeBytes > bytes)', '(({ bytes }) => Infinity < bytes)'],
  }),
  ...without('functions/register-datasets/prepare-upload.ts', [`${uploads}/send-file.test.ts`], {
    'a form is sent only with every byte of its file': ['if (came !== sizeBytes)', 'if (came > sizeBytes)'],
  }),
  ...without('functions/register-datasets/send-dataset.ts', [`${uploads}/register-upload.test.ts`], {
    'the id of a dataset is in the log before the ledger is told': ['datasetCreated', 'gatewayRequest'],
  }),
  ...without('functions/register-datasets/sidecar.ts', [`${uploads}/prepare/sidecar.test.ts`], {
    'an upload waits for its sidecar, and is not registered without': [
      'if (opened === undefined) return notThere(upload, rule);',
      "if (opened === undefined) return { kind: 'fields', fields: {} };",
    ],
    'an upload does not wait for its sidecar for ever': ['if (leftMs <= 0) {', 'if (leftMs < -Infinity) {'],
  }),
  ...without('functions/register-datasets/claim-upload.ts', [`${uploads}/observe.test.ts`], {
    'a stage that only observes sends no dataset': [" === 'observe'", " !== 'observe' && deps.config.mode !== 'act'"],
  }),
  ...without(
    'shared/ledger/observed-ledger.ts',
    ['test/unit/shared/ledger/observed-ledger.test.ts', `${uploads}/observe.test.ts`],
    {
      'what a stage only observed is not taken for done': ['return own.write<Row', 'return acting.write<Row'],
    },
  ),
  ...without('functions/register-datasets/upload-rows.ts', [`${uploads}/register-upload.test.ts`], {
    'a parked upload says why': ["'PARKED', why, {", "'PARKED', { detail: why.detail }, {"],
  }),
  ...without('shared/ledger/open-rows.ts', [`${uploads}/register-upload.test.ts`], {
    'an upload that could not be done within a day is parked': ['horizonMs = dayMs', 'horizonMs = Infinity'],
  }),
  ...without(
    'functions/_handler/worker-reports.ts',
    [`${uploads}/crashes.test.ts`, 'test/unit/functions/_handler/worker-reports.test.ts'],
    {
      'the follow-ups of an upload that is registered are repeated when its message comes again': [
        '    await work.followUp();',
        '    if (!work.isRepeat) await work.followUp();',
      ],
    },
  ),
  ...without('shared/uploads/object-key.ts', ['test/unit/shared/uploads/object-events.test.ts'], {
    'a key is decoded as S3 encodes it: plus signs first': [
      "decodeURIComponent(rawKey.replaceAll('+', ' '))",
      "decodeURIComponent(rawKey).replaceAll('+', ' ')",
    ],
  }),
  ...without(
    'functions/register-datasets/upload-states.ts',
    [`${uploads}/register-upload.test.ts`, `${uploads}/handle-upload-message.test.ts`],
    {
      'an event of another bucket is not acted on': ['object.bucket !== ours.bucket', 'false'],
    },
  ),
  ...without('shared/datasets/table/table-parser.ts', ['test/unit/shared/datasets/check-memory.test.ts'], {
    'a file that is one enormous row does not take the function beyond its memory': [
      'if (end - at > mostRecordBytes)',
      'if (end < at)',
    ],
  }),
  ...without('shared/datasets/table/table-parser.ts', ['test/unit/shared/datasets/prompt-label-csv.test.ts'], {
    'a row of many columns is refused before a parser makes a field of each':
      'if (fields.length >= mostColumns) return unread(text, at, (place) => tooWide(place, delimiter));',
  }),
  ...without('shared/datasets/table/prompt-list.ts', ['test/unit/shared/datasets/written-tables.test.ts'], {
    'pieces of cells that span lines are no prompts': ['longFrom ??= ', 'longFrom &&= '],
    'sentences with commas are no table': ['spaced * 2 > records', 'spaced < 0'],
  }),
  ...without('shared/datasets/convert-dataset.ts', ['test/unit/shared/datasets/written-tables.test.ts'], {
    'a million rows that are no JSON are not all parsed': ['mostOthers = 1_000', 'mostOthers = Infinity'],
  }),
  ...without('shared/datasets/workbook/read-sheet.ts', ['test/unit/shared/datasets/check-memory.test.ts'], {
    'a text that very many cells name does not fill the memory': ['if (made > mostMade)', 'if (made < 0)'],
  }),
  ...without('operator/uploads/file-looker.ts', ['test/unit/operator/uploads/look.test.ts'], {
    'a file that takes too long does not take the console along': ['tooLate(timeMs, ', 'tooLate(2 ** 30, '],
    'a file that fills the memory does not take the console along': ['maxOldGenerationSizeMb: memoryMb', ''],
  }),
  ...without('operator/parked/newer-version.ts', ['test/unit/cli/parked/resolve-superseded.test.ts'], {
    'only a newer version takes the place of a parked upload': ['versions.slice(0, Math.max(0, place))', 'versions'],
    'a newer version does not end an upload that may have made a dataset': ['isInDoubt || wasInDoubt;', 'isInDoubt;'],
  }),
  ...without('shared/messages/link-test.ts', ['test/unit/functions/_handler/queue-worker.test.ts'], {
    'an object with a byte in it is no mark of the doctor': 'object.sizeBytes !== 0 || ',
    'a mark of the doctor has no room for work': ['linkTestMessage = z.strictObject', 'linkTestMessage = z.object'],
  }),
  ...without('shared/uploads/object-events.ts', ['test/unit/shared/messages/large-messages.test.ts'], {
    'an event of very many records does not fill the memory': ['mostRecords = 1_000;', 'mostRecords = 2 ** 20;'],
  }),
];
