import { expect, test } from 'vitest';
import { creatorManifest, packageManifest, repositoryProblem } from '#infra/package/manifests.ts';

const project = {
  name: 'gateway-autopilot',
  version: '1.2.3',
  description: 'It automates.',
  license: 'MIT',
  dependencies: { 'aws-cdk-lib': '2.276.0', constructs: '10.8.1' },
  devDependencies: { 'aws-cdk': '2.1148.1' },
};
const repository = 'https://github.com/an-owner/gateway-autopilot';

// Without them npm refuses a package with provenance (E422).
test.each([
  ['the product', packageManifest],
  ['the creator', creatorManifest],
])('%s names the public repository of the project, its page and its issues', (_what, manifest) => {
  expect(manifest({ ...project, repository })).toMatchObject({
    version: '1.2.3',
    homepage: `${repository}#readme`,
    repository: { type: 'git', url: `git+${repository}.git` },
    bugs: { url: `${repository}/issues` },
  });
});

test('the package depends on the command line of the CDK alone, and an app brings the library that it was tested with', () => {
  expect(packageManifest(project)).toMatchObject({
    dependencies: { 'aws-cdk': '2.1148.1' },
    peerDependencies: { 'aws-cdk-lib': '^2.276.0', constructs: '^10.8.1' },
    peerDependenciesMeta: { 'aws-cdk-lib': { optional: true }, constructs: { optional: true } },
  });
  expect(packageManifest(project)).not.toHaveProperty('scripts');
});

test('a project without a public repository has no release, and reads what to write', () => {
  expect(repositoryProblem({ repository })).toBeUndefined();
  for (const wrong of [undefined, 'an-owner/gateway-autopilot', `${repository}.git`, 'https://example.com/a/b']) {
    expect(repositoryProblem({ ...project, ...(wrong === undefined ? {} : { repository: wrong }) })).toBe(
      'package.json names no public repository, and npm refuses a package with provenance then: write "repository": "https://github.com/OWNER/REPOSITORY" there',
    );
  }
});
