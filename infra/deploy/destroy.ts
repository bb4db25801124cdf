/** `npm run destroy -- --stage NAME`: destroys the workers of a stage; its state only where somebody asks for that by name. */
import { destroyStage } from './destroy-stage.ts';
import { runCommand } from './run-command.ts';

await runCommand(destroyStage, process);
