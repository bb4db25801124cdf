/** STS: who am I. */
import { principalArn } from '../../iam/authority.ts';
import type { ResolvedAssembly } from '../../template/assembly.ts';
import { notEmulated } from '../wire/aws-error.ts';
import type { AwsService } from '../wire/messages.ts';
import { queryResponse } from '../wire/query.ts';
import { element } from '../wire/xml.ts';

/** STS: only who the caller is, which anybody may ask. */
export function createStsService({ accountId }: ResolvedAssembly): AwsService {
  return {
    name: 'sts',
    protocol: 'query',
    handle(request) {
      if (request.operation !== 'GetCallerIdentity') throw notEmulated('sts', request.operation);
      const arn = principalArn(request.caller, accountId);
      const identity = [element('Arn', arn), element('UserId', 'LOCAL'), element('Account', accountId)];
      return queryResponse('GetCallerIdentity', identity.join(''), 'https://sts.amazonaws.com/doc/2011-06-15/');
    },
  };
}
