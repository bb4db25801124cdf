#!/usr/bin/env node
/**
 * `npm create gateway-autopilot@latest DIR`: says so if the Node is too old, then makes the folder.
 */
import '#shared/require-node.mjs';

const { run } = await import('./start.ts');
process.exitCode = run(process.argv.slice(2), process);
