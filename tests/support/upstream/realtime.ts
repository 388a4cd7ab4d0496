import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

export type RealtimeEvent = Record<string, unknown>;

export interface ReceivedSession {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: WebSocket;
  /** Every event the client sent. */
  readonly events: RealtimeEvent[];
}

/** A provider of realtime sessions that answers every `response.create` as the test defines. */
export interface RealtimeUpstream {
  readonly url: string;
  readonly sessions: ReceivedSession[];
  /** The response to a `response.create`. */
  answer: (session: ReceivedSession) => void;
  /** Called with every other event. By default a `response.cancel` ends the response, as it does at the provider. */
  receive: (session: ReceivedSession, event: RealtimeEvent) => void;
  /** The session of the first event. */
  session: RealtimeEvent;
  /** Refuses handshakes with this status; 0 accepts. */
  refuseWith: number;
  /** Whether binary frames are read as events, as by servers that parse bytes. Default: they are echoed. */
  readsBinary: boolean;
  stop(): Promise<void>;
}

export interface TurnUsage {
  readonly textIn: number;
  readonly textOut: number;
  readonly audioIn: number;
  readonly audioOut: number;
}

export const usageOf = ({ textIn, textOut, audioIn, audioOut }: TurnUsage): RealtimeEvent => ({
  total_tokens: textIn + textOut + audioIn + audioOut,
  input_tokens: textIn + audioIn,
  output_tokens: textOut + audioOut,
  input_token_details: { cached_tokens: 0, text_tokens: textIn, audio_tokens: audioIn },
  output_token_details: { text_tokens: textOut, audio_tokens: audioOut },
});

/** A complete turn with this usage; null: the provider reports none. */
export const turn =
  (usage: TurnUsage | null, words = 'hello') =>
  ({ socket }: ReceivedSession): void => {
    send(socket, { type: 'response.created', response: { id: 'r' } });
    send(socket, { type: 'response.output_audio_transcript.delta', delta: words });
    send(socket, { type: 'response.done', response: { id: 'r', ...(usage ? { usage: usageOf(usage) } : {}) } });
  };

/** The end of a response that its client has cancelled. */
export const cancelled: RealtimeEvent = { type: 'response.done', response: { id: 'r', status: 'cancelled' } };

export const send = (socket: WebSocket, event: RealtimeEvent): void => socket.send(JSON.stringify(event));

export async function startRealtimeUpstream(): Promise<RealtimeUpstream> {
  const http = createServer((_request, response) => response.writeHead(404).end());
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has('realtime') ? 'realtime' : false),
  });
  const upstream: RealtimeUpstream = {
    url: '',
    sessions: [],
    answer: turn({ textIn: 120, textOut: 30, audioIn: 50, audioOut: 40 }),
    receive: ({ socket }, { type }) => {
      if (type === 'response.cancel') send(socket, cancelled);
    },
    session: { id: 's', input_audio_format: 'pcm16' },
    refuseWith: 0,
    readsBinary: false,
    stop: () =>
      new Promise((resolve) => {
        for (const client of sockets.clients) client.terminate();
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  http.on('upgrade', (request, socket, head) => {
    if (upstream.refuseWith !== 0) {
      const body = JSON.stringify({ error: { message: 'no', type: 'invalid_request_error', code: 'refused' } });
      socket.end(
        `HTTP/1.1 ${upstream.refuseWith} No\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      const session: ReceivedSession = {
        path: request.url ?? '',
        headers: request.headers,
        socket: client,
        events: [],
      };
      upstream.sessions.push(session);
      client.on('error', () => undefined);
      client.on('message', (data, isBinary) => {
        if (isBinary && !upstream.readsBinary) return client.send(data, { binary: true });
        const event = JSON.parse((data as Buffer).toString()) as RealtimeEvent;
        session.events.push(event);
        if (event['type'] === 'response.create') upstream.answer(session);
        else upstream.receive(session, event);
      });
      send(client, { type: 'session.created', session: upstream.session });
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return Object.assign(upstream, { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` });
}
