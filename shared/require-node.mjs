/**
 * Preloaded by every entry. It gives one clear sentence if the Node that runs it cannot strip types
 * (24 can; `npm ci` brings one along). It also sets the compile cache, which halves every start
 * after the first. Node runs what the cache holds, and would put it into the temporary folder that
 * all users share. So it is used only in a folder that no other user can write (ADR 38).
 */
import module from 'node:module';
import { privateCacheFolder } from './private-folder.mjs';

const required = 24;
if (Number(process.versions.node.split('.')[0]) < required) {
  // A checkout brings the right Node along, the installed package cannot.
  const remedy = import.meta.url.includes('/node_modules/')
    ? `install it ('nvm install ${required}', or from nodejs.org), and run your app and 'npx --no -- autopilot' with it`
    : "run it through npm ('npm ci' brings the right Node along on Linux and Windows), or 'nvm install' on macOS";
  process.stderr.write(`Gateway Autopilot needs Node ${required} and this is ${process.version}: ${remedy}.\n`);
  process.exit(1);
}
const folder = privateCacheFolder();
if (folder !== undefined) module.enableCompileCache(folder);
