/** The typical worker that also reads files from a bucket: it has a client of S3 too. */
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';

export { handler } from './typical-worker.ts';

const objects = new S3Client({});

/** Reads a file to upload. No cold start that is measured reads one, on either side. */
export const readObject = (Bucket: string, Key: string) => objects.send(new GetObjectCommand({ Bucket, Key }));
