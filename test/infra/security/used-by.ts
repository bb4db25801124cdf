import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuiltFunctions } from '#infra/bundle/build-functions.ts';
import { packageFolder } from '#shared/places.ts';

/** Where the doors to AWS are: one file for each thing that is asked of it. */
const doorsDirectory = 'shared/aws';

/** The commands of the SDK that need a permission of another name. `HeadObject` and a read of a version have no permission of their own. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  's3:GetObjectVersion': ['GetObject', 'HeadObject'],
  's3:ListBucket': ['GetObject', 'HeadObject', 'ListObjectsV2'],
  's3:ListBucketVersions': ['GetObject', 'HeadObject', 'ListObjectVersions'],
};

/** Tells which code of a function needs an action. */
export interface CodeUsers {
  /** Files of the function's bundle that send a command which needs the action, in order. */
  readonly filesUsing: (functionName: string, action: string) => readonly string[];
}

/** Reads the doors, and which of them are in which bundle. */
export async function readCodeUsers({ metafile }: BuiltFunctions): Promise<CodeUsers> {
  const entries = await readdir(join(packageFolder, doorsDirectory), { recursive: true });
  const names = entries
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.replaceAll('\\', '/'))
    .toSorted();
  const doors = await Promise.all(
    names.map(async (name) => {
      const path = `${doorsDirectory}/${name}`;
      return { path, text: await readFile(join(packageFolder, path), 'utf8') };
    }),
  );
  const bundled = (functionName: string) => {
    const output = Object.entries(metafile.outputs).find(([path]) => path.endsWith(`${functionName}/handler.mjs`));
    if (output === undefined) throw new Error(`there is no bundle of ${functionName}`);
    return new Set(
      Object.entries(output[1].inputs)
        .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
        .map(([path]) => path),
    );
  };
  return {
    filesUsing(functionName, action) {
      const commands = otherNames[action] ?? [action.split(':')[1] ?? ''];
      const inBundle = bundled(functionName);
      return doors
        .filter(({ path, text }) => inBundle.has(path) && commands.some((name) => text.includes(`new ${name}Command(`)))
        .map(({ path }) => path);
    },
  };
}
