import type { Authority } from '#local/iam/authority.ts';
import { arnOf, type ResolvedAssembly, resourcesOfType } from '#local/template/assembly.ts';
import { asObject, textsOf } from '#local/template/json.ts';

/** What services of AWS would ask that nobody plays here: alarms that ring, and access logs that are delivered. */
export function askForAbsentServices(authority: Authority, assembly: ResolvedAssembly): void {
  const ask = (service: string, action: string, resource: string, sourceArn: string) =>
    authority.authorize({
      caller: { kind: 'service', service },
      action,
      resource,
      context: { 'aws:SourceArn': sourceArn, 'aws:SourceAccount': assembly.accountId },
    });
  for (const alarm of resourcesOfType(assembly, 'AWS::CloudWatch::Alarm')) {
    for (const topic of textsOf(alarm.properties['AlarmActions'])) {
      ask('cloudwatch.amazonaws.com', 'sns:Publish', topic, arnOf(alarm));
    }
  }
  for (const bucket of resourcesOfType(assembly, 'AWS::S3::Bucket')) {
    const target = asObject(bucket.properties['LoggingConfiguration'])['DestinationBucketName'];
    for (const name of textsOf(target)) {
      ask('logging.s3.amazonaws.com', 's3:PutObject', `arn:aws:s3:::${name}/2026-11-20`, arnOf(bucket));
    }
  }
}
