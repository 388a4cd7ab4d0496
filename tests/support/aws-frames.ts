import { frameCodec } from '../../server/src/dialects/wire/aws-frames.js';

type Json = Record<string, unknown>;
/** A message of AWS's event streams. The bytes of a chunk are decoded. */
export interface Frame {
  readonly headers: Json;
  readonly data: Json;
}

/** Reads frames as AWS's SDKs do: every checksum counts, and the last frame is whole. */
export function framesOf(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const { headers, body: payload } = frameCodec.decode(bytes.subarray(at, at + length));
    const named = Object.fromEntries(Object.entries(headers).map(([name, { value }]) => [name, value]));
    const data = JSON.parse(Buffer.from(payload).toString()) as Json;
    const inner = data['bytes'];
    frames.push({
      headers: named,
      data: typeof inner === 'string' ? (JSON.parse(Buffer.from(inner, 'base64').toString()) as Json) : data,
    });
    at += length;
  }
  return frames;
}
