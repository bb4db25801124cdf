/** SQS alone, as the run on one machine serves it, with queues that a test makes as it goes. */
import type { AddressInfo } from 'node:net';

import { openQueues } from '#local/aws/sqs/queues.ts';
import type { LocalQueue } from '#local/aws/sqs/declared-queues.ts';
import { queueRow } from '#local/template/resource-properties.ts';
import { createSqsService } from '#local/aws/sqs/sqs-service.ts';
import { serve } from '#local/aws/wire/serve.ts';
import { createAuthority } from '#local/aws/iam/authority.ts';
import { assemblyOf } from '../../../builders/write-assembly.ts';

const region = 'eu-west-1';
/** What the tests' functions sign with. */
const localKey = { accessKeyId: 'AKIDLOCAL', secretAccessKey: 'local' };

const accountId = '000000000000';

/** Starts the server over an empty folder, on a free port; every caller is the developer, who may do everything. */
export async function startLocalQueues(dataDir: string) {
  const declared = new Map<string, LocalQueue>();
  const queues = openQueues(declared, dataDir, Date.now);
  const assembly = assemblyOf({ App: { Resources: {} } }, { region });
  const authority = createAuthority(assembly, localKey);
  const service = createSqsService(queues, assembly);
  const server = await serve({ services: [service], authority, region, dataDir, port: 0, log: () => {} });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  const depthOf = (name: string) => queues.depths()[name] ?? { visible: 0, inFlight: 0, delayed: 0 };
  return {
    url,
    /** Makes a queue where a message comes back after the given seconds, and a dead-letter queue behind it. */
    make(name: string, visibilitySeconds: number, maxReceiveCount: number) {
      const deadLetters = queue(`${name}-dead`, 30);
      const jobs = { ...queue(name, visibilitySeconds), redrive: { queue: deadLetters.name, maxReceiveCount } };
      for (const one of [deadLetters, jobs]) declared.set(one.name, one);
      return { name, arn: jobs.arn, url: `${url}/${accountId}/${name}`, deadLetters: deadLetters.name };
    },
    send(name: string, body: string): void {
      const to = queues.byName(name);
      if (to === undefined) throw new Error(`no queue ${name} was made`);
      queues.send(to, { body });
    },
    /** How many messages a queue holds, in whatever state. */
    held(name: string): number {
      const { visible, inFlight, delayed } = depthOf(name);
      return visible + inFlight + delayed;
    },
    /** How many of them could be received now. */
    visible: (name: string) => depthOf(name).visible,
    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      queues.close();
    },
  };
}

function queue(name: string, visibilitySeconds: number): LocalQueue {
  return {
    name,
    arn: `arn:aws:sqs:${region}:${accountId}:${name}`,
    attributes: queueRow.parse({ VisibilityTimeout: visibilitySeconds, MessageRetentionPeriod: 86_400 }),
  };
}
