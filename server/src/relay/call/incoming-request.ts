import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OutgoingHttpHeaders, IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { AppError } from '../../shared/errors.js';
import { RelayError } from '../errors/relay-error.js';
import { ClientResponse } from './client-response.js';
import type { IncomingCall } from './incoming-call.js';

export interface TakenCall {
  readonly incoming: IncomingCall;
  readonly client: ClientResponse;
}

/** Takes the answer out of Fastify's hands; headers set by hooks so far are kept. */
export function take(request: FastifyRequest, reply: FastifyReply, maxBodyBytes: number): TakenCall {
  reply.hijack();
  request.taken = true;
  const { url } = request;
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const incoming: IncomingCall = {
    requestId: request.id,
    headers: request.headers,
    path: withoutAlias(path),
    query: mark === -1 ? '' : url.slice(mark + 1),
    address: request.ip,
    startedAt: performance.now(),
    readBody: () =>
      readRequestBody(request.raw, isForm(request) ? Math.round(maxBodyBytes * formFactor) : maxBodyBytes),
  };
  return { incoming, client: new ClientResponse(reply.raw, reply.getHeaders() as OutgoingHttpHeaders) };
}

/**
 * A form carries files: it may be larger by 100 to 64, as docs/reference/relay/guarantees.md#memory-and-streams says.
 */
const formFactor = 100 / 64;

const isForm = ({ headers }: FastifyRequest): boolean => headers['content-type']?.startsWith('multipart/') === true;

function withoutAlias(path: string): string {
  const plain = path.startsWith('/hf/v1/') ? path.slice('/hf'.length) : path;
  return plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}

const ungzip = promisify(gunzip);
const unbrotli = promisify(brotliDecompress);

/** A body that grows more than this when it is unpacked is a bomb. */
const mostRatio = 100;
/** Tiny bodies compress better than any ratio. */
const ratioFloor = 64 * 1024;

/**
 * Reads a whole body, packed with gzip or brotli or not at all.
 * @param limit bytes, before and after unpacking
 * @throws AppError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE; RelayError invalid_request when it cannot be unpacked
 */
export async function readRequestBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding !== 'identity' && encoding !== '' && encoding !== 'gzip' && encoding !== 'x-gzip' && encoding !== 'br') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `Content-Encoding ${encoding.slice(0, 40)} is not supported`);
  }
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge();
  const bytes = await readAll(request, limit);
  return encoding === 'identity' || encoding === '' ? bytes : unpack(bytes, encoding === 'br', limit);
}

function readAll(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let pieces: Buffer[] = [];
    let length = 0;
    request.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length > limit) {
        // The rest is let go unread; the answer says why.
        request.removeAllListeners('data');
        request.resume();
        reject(tooLarge());
        return;
      }
      pieces.push(piece);
    });
    request.on('end', () => {
      resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, length));
      // The request outlives its body by the whole answer, and its listeners keep what they can see.
      pieces = [];
    });
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete)
        reject(new RelayError('INVALID_INPUT', 'Invalid request, the body is incomplete', 'invalid_request'));
    });
  });
}

async function unpack(bytes: Buffer, brotli: boolean, limit: number): Promise<Buffer> {
  const maxOutputLength = Math.min(limit, Math.max(ratioFloor, bytes.length * mostRatio));
  try {
    return await (brotli ? unbrotli : ungzip)(bytes, { maxOutputLength });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new RelayError('INVALID_INPUT', 'Invalid request, the body cannot be unpacked', 'invalid_request', {
      cause: error,
    });
  }
}

const tooLarge = (): AppError => new AppError('PAYLOAD_TOO_LARGE', 'The request body is too large');
