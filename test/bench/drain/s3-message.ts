import { bucket } from '../../faults/model/stage-config.ts';

/** The body of a message that S3 sends for one new object version. */
export function s3Message(key: string, at: Date): string {
  const object = {
    key,
    size: 96,
    eTag: 'd41d8cd98f00b204e9800998ecf8427e',
    versionId: 'v1',
    sequencer: '0055AED6DCD90281E5',
  };
  return JSON.stringify({
    Records: [
      {
        eventVersion: '2.1',
        eventSource: 'aws:s3',
        awsRegion: 'eu-west-1',
        eventTime: at.toISOString(),
        eventName: 'ObjectCreated:Put',
        s3: { s3SchemaVersion: '1.0', bucket: { name: bucket }, object },
      },
    ],
  });
}
