/**
 * Finds and loads the handler that `_HANDLER` names, with Lambda's own names for what can go wrong.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The function that `file.export` names in the task root. */
export async function loadHandler(taskRoot, name) {
  const dot = name.lastIndexOf('.');
  const [file, exportName] = [name.slice(0, dot), name.slice(dot + 1)];
  const path = ['.mjs', '.js', '.cjs']
    .map((extension) => join(taskRoot, `${file}${extension}`))
    .find((candidate) => existsSync(candidate));
  if (path === undefined) {
    throw namedError('Runtime.ImportModuleError', `Cannot find module '${file}' in ${taskRoot}`);
  }
  const handler = (await importModule(path))[exportName];
  if (handler === undefined) {
    throw namedError('Runtime.HandlerNotFound', `${name} is undefined or not exported`);
  }
  if (typeof handler !== 'function') {
    throw namedError('Runtime.HandlerNotFound', `${name} is not a function`);
  }
  return handler;
}

async function importModule(path) {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    if (error?.code === 'ERR_MODULE_NOT_FOUND' || error?.code === 'MODULE_NOT_FOUND') {
      throw namedError('Runtime.ImportModuleError', `Error: ${error.message}`, error);
    }
    if (error instanceof SyntaxError) {
      throw namedError('Runtime.UserCodeSyntaxError', `SyntaxError: ${error.message}`, error);
    }
    throw error;
  }
}

function namedError(name, message, cause) {
  const error = new Error(message, { cause });
  error.name = name;
  return error;
}
