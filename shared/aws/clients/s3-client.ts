import { S3Client } from '@aws-sdk/client-s3';
import type { ClientSettings } from './client-settings.ts';

/**
 * S3; the region, the credentials and a local endpoint come from the settings, else from the
 * environment. An endpoint that is an IP address gets path style by itself. No checksum of the
 * answer is requested. The SDK refuses an object whose uploader chose an algorithm that it lacks
 * (SHA-512, XXHash). It leaves the body unread, so fifty of them take every connection. TLS and the
 * length hold what arrives.
 */
export function createS3Client(settings: ClientSettings = {}): S3Client {
  return new S3Client({ ...settings, responseChecksumValidation: 'WHEN_REQUIRED' });
}
