/**
 * Sends a document again and again over some connections from one message until the next, in a thread of its own, so that the load
 * in the other thread measures the server. Compressed responses are not expanded: it shares its core with the load. Reports
 * the number of responses by status or error code.
 */
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';

const { url, token, body, connections } = workerData;
const pool = new Pool(url, { connections });
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'accept-encoding': 'gzip' };
const counts = new Map();
let isOver = false;

const codeOf = (text) => /"code":"([A-Z_]+)"/.exec(text)?.[1] ?? 'other';

async function connection() {
  while (!isOver) {
    const response = await pool.request({ method: 'POST', path: '/graphql', headers, body });
    const isServed = response.statusCode === 200;
    const answer = isServed ? '200' : codeOf(await response.body.text());
    if (isServed) await response.body.dump({ limit: Number.MAX_SAFE_INTEGER });
    counts.set(answer, (counts.get(answer) ?? 0) + 1);
  }
}

parentPort.postMessage('ready');
await once(parentPort, 'message');
parentPort.once('message', () => (isOver = true));
await Promise.all(Array.from({ length: connections }, connection));
await pool.close();
parentPort.postMessage(counts);
