import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface ReceivedHook {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw body. */
  readonly body: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** An https server that receives webhooks. */
export interface WebhookReceiver {
  /** `https://127.0.0.1:<port>` */
  readonly url: string;
  readonly hooks: ReceivedHook[];
  /** The response; 204 by default. */
  answer: (hook: ReceivedHook) => { status: number; headers?: Record<string, string> };
  stop(): Promise<void>;
}

const file = (name: string): string => join(import.meta.dirname, 'tls', name);

/**
 * The certificate for NODE_EXTRA_CA_CERTS of a server that has to trust the receiver. Only tests use the key beside it.
 */
export const receiverCertificate = file('certificate.pem');

/** @param host 127.0.0.1 or 127.0.0.2, which the certificate contains */
export async function startWebhookReceiver(host = '127.0.0.1'): Promise<WebhookReceiver> {
  const receiver: { -readonly [Key in keyof WebhookReceiver]: WebhookReceiver[Key] } = {
    url: '',
    hooks: [],
    answer: () => ({ status: 204 }),
    stop: () => Promise.resolve(),
  };
  const identity = { cert: readFileSync(file('certificate.pem')), key: readFileSync(file('key.pem')) };
  const server = createServer(identity, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const hook = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        at: Date.now(),
      };
      receiver.hooks.push(hook);
      const { status, headers = {} } = receiver.answer(hook);
      response.writeHead(status, headers).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, host, resolve));
  receiver.url = `https://${host}:${(server.address() as AddressInfo).port}`;
  receiver.stop = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return receiver;
}
