/* iFlytek Spark: a WebSocket with a signed address, which takes one message and sends frames. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import type { ReceivedRequest } from '../support/upstream/upstream.js';
import type { Turn } from './model.js';
import { list } from './refused-bodies.js';
import { unknownField, type Refuse } from './strict.js';

type Json = Record<string, unknown>;

export const sparkKey = 'app|secret|key';

export interface SparkUpstream {
  /** `ws://127.0.0.1:<port>` */
  readonly url: string;
  endStreams(): void;
  stop(): Promise<void>;
}

/**
 * @param requests receives one entry for each message
 * @param turnOf the model's turn after a conversation
 * @param refuse the checks of a message
 */
export async function startSpark(
  requests: ReceivedRequest[],
  refused: (text: string) => void,
  turnOf: (conversation: string) => Turn,
  refuse: Refuse = strictSpark,
): Promise<SparkUpstream> {
  const server = createServer((_request, response) => void response.writeHead(404).end());
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const text = unsigned(request);
    if (text === null) return sockets.handleUpgrade(request, socket, head, (ready) => serve(ready, request));
    refused(text);
    socket.end(
      `HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\n\r\n${JSON.stringify({ message: text })}`,
    );
  });
  const serve = (socket: WebSocket, { url = '', headers }: IncomingMessage): void => {
    let complete = false;
    let aborted = false;
    const ended = new Promise<void>((resolve) =>
      socket.once('close', () => {
        aborted = !complete;
        resolve();
      }),
    );
    socket.once('message', (data: Buffer) => {
      const body = JSON.parse(data.toString()) as Json;
      const received: ReceivedRequest = {
        method: 'GET',
        path: url,
        headers,
        rawBody: data,
        body,
        model: null,
        stream: true,
        key: null,
        ended,
        get aborted() {
          return aborted;
        },
      };
      requests.push(received);
      const refusal = refuse(received);
      const send = (frame: Json): void => socket.send(JSON.stringify(frame));
      if (refusal !== null) {
        refused(refusal);
        complete = true;
        return send({ header: { code: 10163, message: refusal, sid: 's', status: 2 } });
      }
      const turn = turnOf(JSON.stringify(textsOf(body).filter(({ role }) => role !== 'system')));
      if (turn.kind === 'endless') {
        const timer = setInterval(() => send(frameOf('on and ', 1)), 100);
        socket.once('close', () => clearInterval(timer));
        return;
      }
      complete = true;
      send(frameOf(turn.kind === 'text' ? turn.text : '', 0));
      send(frameOf('', 2));
    });
  };
  const endStreams = (): void => {
    for (const client of sockets.clients) client.terminate();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    endStreams,
    stop: () =>
      new Promise((resolve) => {
        endStreams();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const textsOf = (body: Json): Json[] => list(((body['payload'] as Json)['message'] as Json)['text']);

const frameOf = (content: string, status: 0 | 1 | 2): Json => ({
  header: { code: 0, message: 'Success', sid: 's', status },
  payload: {
    choices: { status, seq: status, text: [{ content, role: 'assistant', index: 0 }] },
    ...(status === 2
      ? { usage: { text: { question_tokens: 9, prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } } }
      : {}),
  },
});

/** The provider recomputes the signature from the host, the date and the request line. */
function unsigned({ url = '', headers }: IncomingMessage): string | null {
  const { pathname, searchParams } = new URL(url, 'http://host');
  const [date, host] = [searchParams.get('date') ?? '', searchParams.get('host') ?? ''];
  const given = Buffer.from(searchParams.get('authorization') ?? '', 'base64').toString();
  const signature = createHmac('sha256', 'secret')
    .update(`host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`)
    .digest('base64');
  if (host !== headers.host) return 'HMAC signature cannot be verified: host is not the one of the request';
  if (Math.abs(Date.parse(date) - Date.now()) > 300_000)
    return 'HMAC signature cannot be verified, a valid date is required';
  const expected = `hmac username="key", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  return given === expected ? null : 'HMAC signature does not match';
}

const strictSpark: Refuse = ({ body }) => {
  if (!body) return 'the message is no JSON object';
  const [header, parameter] = [body['header'] as Json, body['parameter'] as Json];
  const chat = parameter['chat'] as Json;
  const field =
    unknownField(body, ['header', 'parameter', 'payload']) ??
    unknownField(header, ['app_id', 'uid']) ??
    unknownField(parameter, ['chat']) ??
    unknownField(chat, ['domain', 'temperature', 'top_k', 'max_tokens', 'auditing', 'chat_id']);
  if (field !== null) return `param validate error: unknown ${field}`;
  if (header['app_id'] !== 'app') return 'app_id is not the one of the key';
  if (typeof header['uid'] === 'string' && header['uid'].length > 32)
    return "'$.header.uid' length must be less or equal than 32";
  if (chat['domain'] !== 'generalv3.5') return `unknown domain ${String(chat['domain'])}`;
  const [first, ...rest] = textsOf(body);
  const turns = first?.['role'] === 'system' ? rest : textsOf(body);
  const stray = turns.find(({ role }, index) => role !== (index % 2 === 0 ? 'user' : 'assistant'));
  if (stray) return `'$.payload.message.text' role ${String(stray['role'])} is out of turn`;
  if (turns.length % 2 === 0) return "'$.payload.message.text' must end with the user";
  return textsOf(body).some(({ content }) => typeof content !== 'string' || content === '')
    ? "'$.payload.message.text.content' length must be larger or equal than 1"
    : null;
};
