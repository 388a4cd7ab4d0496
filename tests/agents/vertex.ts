/* Vertex AI: Google's own hosts, which a proxy leads to this machine. The relay has to trust the certificate beside them. */
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as forward } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startConnectProxy } from '../support/proxies.js';
import type { ReceivedRequest } from '../support/upstream/upstream.js';
import { sseOf, type Spoken } from './dialects.js';
import type { OwnProvider } from './own-dialects.js';
import { list } from './refused-bodies.js';
import type { Refuse } from './strict.js';

const tls = join(import.meta.dirname, '../support/tls/google');

/** For NODE_EXTRA_CA_CERTS of the process that holds the relay. */
export const googleCertificate = join(tls, 'certificate.pem');

const token = 'ya29.scripted';
const place = '/projects/proj-fake/locations/us-east5';

export interface GoogleHosts {
  /** Fields of a channel that is asked there. */
  readonly channel: { readonly key: string; readonly other: string; readonly setting: string };
  stop(): Promise<void>;
}

/** @param upstream the scripted provider that receives what is sent to Google */
export async function startGoogle(upstream: string): Promise<GoogleHosts> {
  const target = new URL(upstream);
  const server = createServer({ cert: readFileSync(googleCertificate), key: readFileSync(join(tls, 'key.pem')) });
  server.on('request', (incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const forwarded = forward({ host: target.hostname, port: target.port, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
      response.on('error', () => outgoing.destroy());
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const here = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = ['oauth2.googleapis.com', 'us-east5-aiplatform.googleapis.com'];
  const proxy = await startConnectProxy({ names: Object.fromEntries(names.map((name) => [name, here])) });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const account = {
    type: 'service_account',
    project_id: 'proj-fake',
    private_key_id: 'kid-fake',
    client_email: 'svc@proj-fake.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  return {
    channel: {
      key: JSON.stringify(account),
      other: 'us-east5',
      setting: JSON.stringify({ proxy: `http://127.0.0.1:${proxy.port}` }),
    },
    async stop() {
      await proxy.stop();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** @param path a pattern of what stands after `/v1` or `/v1beta1` */
const served =
  (path: RegExp, rest: Refuse): Refuse =>
  (request) => {
    const { headers, path: asked } = request;
    if (headers.host !== 'us-east5-aiplatform.googleapis.com') return `no such host: ${String(headers.host)}`;
    if (headers.authorization !== `Bearer ${token}`) return 'Request had invalid authentication credentials.';
    const [, behind = ''] = asked.split(place);
    return path.test(behind) ? rest(request) : `no such method: ${asked}`;
  };

/** Ids of calls exist in the Gemini API only. */
const withoutIds =
  (rest: Refuse): Refuse =>
  (request) => {
    const parts = list(request.body?.['contents']).flatMap((content) => list(content['parts']));
    const named = parts.some((part) =>
      ['functionCall', 'functionResponse'].some(
        (name) => (part[name] as { id?: unknown } | undefined)?.id !== undefined,
      ),
    );
    return named ? 'Invalid JSON payload received. Unknown name "id" at \'contents.parts\'' : rest(request);
  };

const atVertex = (spoken: Spoken, refuse: Refuse): OwnProvider => ({
  spoken,
  refuse,
  wire: {
    streams: ({ stream, path }: ReceivedRequest) => stream || path.includes('streamGenerateContent'),
    frame: sseOf,
    refused: (message) => ({ status: 400, body: { error: { code: 400, message, status: 'INVALID_ARGUMENT' } } }),
    aside({ path }) {
      if (path === '/token') return { access_token: token, expires_in: 3600, token_type: 'Bearer' };
      if (/\/publishers\/anthropic\/models\/count-tokens:rawPredict$/.test(path)) return { input_tokens: 100 };
      return /\/publishers\/google\/models\/gemini-[\w.-]+:countTokens$/.test(path) ? { totalTokens: 100 } : null;
    },
  },
});

export const claudeAtVertex = (spoken: Spoken, refuse: Refuse): OwnProvider =>
  atVertex(
    spoken,
    served(/^\/publishers\/anthropic\/models\/claude-[\w-]+@\d{8}:(?:streamRawPredict\?alt=sse|rawPredict)$/, refuse),
  );
export const geminiAtVertex = (spoken: Spoken, refuse: Refuse): OwnProvider =>
  atVertex(
    spoken,
    served(
      /^\/publishers\/google\/models\/[\w.-]+:(?:generateContent|streamGenerateContent\?alt=sse)$/,
      withoutIds(refuse),
    ),
  );
export const llamaAtVertex = (spoken: Spoken, refuse: Refuse): OwnProvider =>
  atVertex(spoken, served(/^\/endpoints\/openapi\/chat\/completions$/, refuse));
