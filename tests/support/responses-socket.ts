import { once } from 'node:events';
import { WebSocket } from 'ws';

const ends: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);

/**
 * Sends a call over a WebSocket of Responses.
 * @param body of the call, as text: a JSON object, which may have repeated fields
 * @returns its last event, with the status of an error
 */
export async function askOverSocket(url: string, key: string, body: string): Promise<Response> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: `Bearer ${key}` },
  });
  try {
    await once(socket, 'open');
    const last = new Promise<Response>((resolve, reject) => {
      socket.on('message', (data: Buffer) => {
        const { type, status } = JSON.parse(data.toString()) as { type: string; status?: number };
        if (ends.has(type))
          resolve(new Response(data.toString(), { status: type === 'error' ? (status ?? 500) : 200 }));
      });
      socket.once('close', () => reject(new Error('the connection was closed')));
    });
    socket.send(`{"type":"response.create",${body.trimStart().slice(1)}`);
    return await last;
  } finally {
    socket.terminate();
  }
}
