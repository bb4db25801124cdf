/** `npm run deploy -- --stage NAME`: shows what a deployment would change, asks once, deploys. */
import { deployStage } from './deploy-stage.ts';
import { runCommand } from './run-command.ts';

await runCommand(deployStage, process);
