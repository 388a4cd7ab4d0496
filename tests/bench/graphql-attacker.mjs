/**
 * Sends a document again and again over some connections until a message stops it, in a thread of its own, so that the load
 * in the other thread measures the server. Reports the number of responses by status or error code.
 */
import { parentPort, workerData } from 'node:worker_threads';

const { url, token, body, connections } = workerData;
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const counts = new Map();
let isOver = false;
parentPort.once('message', () => (isOver = true));

async function connection() {
  while (!isOver) {
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
    const answer = /"code":"([A-Z_]+)"/.exec(await response.text())?.[1] ?? String(response.status);
    counts.set(answer, (counts.get(answer) ?? 0) + 1);
  }
}

await Promise.all(Array.from({ length: connections }, connection));
parentPort.postMessage(counts);
