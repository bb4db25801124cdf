/**
 * Where things lie: the one module that knows. A bundler moves a module into another folder, so no other module counts folders upward.
 * Functions do not use it: in Lambda there is no package around them.
 */
import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The folder of the product: this repository, or the installed package. */
export const packageFolder: string = folderAbove(import.meta.dirname);

/** The nearest folder with a package.json. By hand: `module.findPackageJSON` is not in Node 20, which is to hear a clear sentence. */
function folderAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  if (dirname(folder) === folder) throw new Error(`no package.json lies above ${import.meta.dirname}`);
  return folderAbove(dirname(folder));
}

/** True in the installed package: Node strips no types below `node_modules`, so all of it is JavaScript there. */
export const isInstalled: boolean = !import.meta.filename.endsWith('.ts');

/** The folder from which npx takes the command: the checkout, or the one that has the package in its `node_modules`. */
export const projectFolder: string = packageFolder.split(`${sep}node_modules${sep}`)[0] ?? packageFolder;

/**
 * The words with which Node runs a program of the product.
 * @param name - its path in the package without its extension, such as `infra/app`
 */
export function programWords(name: string): readonly string[] {
  const preloaded = pathToFileURL(join(packageFolder, 'shared', 'require-node.mjs')).href;
  return ['--import', preloaded, programFile(name)];
}

/** The file of a program: of the same name in a checkout and in the package, but for its extension. */
export function programFile(name: string): string {
  return join(packageFolder, `${name}${isInstalled ? '.mjs' : '.ts'}`);
}

/** The folder that the command was called from; `-C DIR` goes to another one later. */
export const callersFolder: string = process.cwd();

/**
 * The path of a page for the person who called: `docs/links.md` in a checkout, `node_modules/gateway-autopilot/docs/links.md` in a stage's own.
 * @param name - of a page that the package has
 */
export function docPage(name: string): string {
  return relative(callersFolder, join(packageFolder, 'docs', name)).replaceAll(sep, '/');
}

/** The folder in which a stage on this machine keeps its files. */
export const stateFolderName = '.autopilot';

/** The configuration file of a stage, unless `--config` names another. */
export const configFileName = 'automation.config.ts';

/** The address of the embedded gateway, unless `--gateway-port` names another port. */
export const usualGatewayUrl = 'http://127.0.0.1:4010';

/** The port at which it listens, unless `--port` names another; what emulators of AWS are used to. */
export const usualPort = 4566;
