import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/** A registry on this machine, as far as npm asks one for packages. */
export interface LocalRegistry {
  readonly url: string;
  readonly close: () => void;
}

/** Serves the packages of some archives, each as the latest version. */
export async function startRegistry(archives: readonly string[]): Promise<LocalRegistry> {
  const packages = new Map(archives.map((archive) => [manifestIn(archive).name, archive] as const));
  const server = createServer(({ url = '', headers }, response) => {
    const [, name = '', isArchive] = /^\/([^/]+)(\/archive\.tgz)?$/.exec(url) ?? [];
    const archive = packages.get(name);
    if (archive === undefined) response.writeHead(404).end('{}');
    else if (isArchive === undefined)
      response.end(JSON.stringify(packument(archive, `http://${headers.host}/${name}`)));
    else response.end(readFileSync(archive));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}

/** What npm reads of a package before it loads it. */
function packument(archive: string, url: string): object {
  const manifest = manifestIn(archive);
  const { name, version } = manifest;
  const integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  const dist = { tarball: `${url}/archive.tgz`, integrity };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
}

function manifestIn(archive: string): { readonly name: string; readonly version: string } {
  return JSON.parse(execFileSync('tar', ['-xzOf', archive, 'package/package.json'], { encoding: 'utf8' }));
}
