/**
 * Runs a front door in a process of its own, to be killed: prints its address, then waits.
 * Argument: the data folder.
 */
import { startLocalAws } from './start-local-aws.ts';

const [dataDir = ''] = process.argv.slice(2);
const { door } = await startLocalAws({ dataDir });
process.stdout.write(`${door.url}\n`);
