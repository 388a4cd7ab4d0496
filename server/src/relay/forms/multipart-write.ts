import { randomUUID } from 'node:crypto';
import type { FormPart } from '../adapter.js';

/** A form as it goes over the wire. */
export interface WrittenForm {
  /** `multipart/form-data` with the boundary. */
  readonly contentType: string;
  readonly body: Buffer;
}

/** Names go into quotes: what would end them is written the way browsers do. */
const quoted = (text: string): string =>
  `"${text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`;

/** Writes a form again, part by part in their order (RFC 7578). */
export function writeForm(parts: readonly FormPart[]): WrittenForm {
  const boundary = `form-${randomUUID()}`;
  const pieces: Buffer[] = [];
  for (const { name, value } of parts) {
    const file = typeof value === 'string' ? null : value;
    const head = [
      `--${boundary}`,
      `content-disposition: form-data; name=${quoted(name)}${file ? `; filename=${quoted(file.filename)}` : ''}`,
      ...(file?.contentType ? [`content-type: ${file.contentType.replace(/[\r\n]/g, '')}`] : []),
    ];
    pieces.push(Buffer.from(`${head.join('\r\n')}\r\n\r\n`), file ? file.bytes : Buffer.from(value as string));
    pieces.push(Buffer.from('\r\n'));
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(pieces) };
}
