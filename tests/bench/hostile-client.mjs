/**
 * Sends a body many times at once, in a thread of its own, and reports the statuses. Status 0 means that the connection was
 * reset.
 */
import { request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { url, headers, body, parallel } = workerData;
const post = () =>
  new Promise((resolve) => {
    const call = request(url, { method: 'POST', headers });
    // A refused upload may end with a reset before its response was read.
    call.on('error', () => resolve(0));
    call.on('response', (response) => {
      response.resume();
      response.on('close', () => resolve(response.statusCode ?? 0));
    });
    call.end(body);
  });

parentPort.postMessage(await Promise.all(Array.from({ length: parallel }, post)));
