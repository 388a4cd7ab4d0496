import { setTimeout as delay } from 'node:timers/promises';
import { recordedEvents, toEvent } from './recordings.js';
import { events, json, openStream, writeOrLeave } from './replies.js';
import type { Reply } from './upstream.js';

/** Every kind of provider failure that was observed. All of them stop when the caller disconnects. */

const errorBody = (message: string, type: string, code: string | null): object => ({
  error: { message, type, param: null, code },
});

/** The provider does not accept the channel's key. */
export const unauthorized = (): Reply =>
  json(errorBody('Incorrect API key provided: sk-upstr********cret.', 'invalid_request_error', 'invalid_api_key'), 401);

export const rateLimited = (retryAfterSeconds: number): Reply =>
  json(errorBody('Rate limit reached for requests', 'requests', 'rate_limit_exceeded'), 429, {
    'retry-after': String(retryAfterSeconds),
  });

export const serverError = (status = 500): Reply =>
  json(errorBody('The server had an error while processing your request.', 'server_error', null), status);

/** Any status with an OpenAI-shaped error. */
export const failure = (status: number, message: string, type: string, code: string | null = null): Reply =>
  json(errorBody(message, type, code), status);

/** The response of a proxy in front of the provider. */
export const htmlError =
  (status = 502): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html><body><h1>Bad Gateway</h1></body></html>');
  };

export const resetBeforeFirstByte = (): Reply => (response) => {
  response.socket?.resetAndDestroy();
};

/** The headers and some events arrive, then the connection breaks; a JSON response breaks in the middle. */
export const resetAfter =
  (eventCount: number): Reply =>
  async (response, request) => {
    if (request.stream) {
      openStream(response);
      for (const data of sample(eventCount)) await writeOrLeave(response, toEvent(data));
    } else {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 5000 });
      await writeOrLeave(response, '{"id":"chatcmpl-scripted","object":"chat.comp');
    }
    // Written bytes must be sent before the reset discards them.
    await delay(20);
    response.socket?.resetAndDestroy();
  };

/** Accepts the call and never responds. */
export const silence = (): Reply => () => undefined;

/** Begins a stream and then sends nothing, while the connection stays open. */
export const silenceAfter =
  (eventCount: number): Reply =>
  async (response) => {
    openStream(response);
    for (const data of sample(eventCount)) await writeOrLeave(response, toEvent(data));
  };

export const malformedJson =
  (): Reply =>
  (response, request): void | Promise<void> => {
    const broken = '{"id":"chatcmpl-scripted","object":"chat.completion","choices":[{"index":0,';
    if (request.stream) return events([...sample(2), broken])(response, request);
    response.writeHead(200, { 'content-type': 'application/json' }).end(broken);
  };

/** One event without an end, as fast as the caller reads. */
export const endlessLine = (): Reply => async (response, request) => {
  const block = Buffer.alloc(64 * 1024, 'a');
  if (request.stream) openStream(response);
  else response.writeHead(200, { 'content-type': 'application/json' });
  if (!(await writeOrLeave(response, request.stream ? 'data: {"choices":[{"delta":{"content":"' : '{"id":"'))) return;
  while (await writeOrLeave(response, block)) await delay(0);
};

/** The recorded stream, a few bytes at a time. */
export const slowDrip =
  (bytesAtOnce: number, gapMilliseconds: number): Reply =>
  async (response) => {
    const bytes = Buffer.from([...sample(), '[DONE]'].map(toEvent).join(''));
    openStream(response);
    for (let at = 0; at < bytes.length; at += bytesAtOnce) {
      if (!(await writeOrLeave(response, bytes.subarray(at, at + bytesAtOnce)))) return;
      await delay(gapMilliseconds);
    }
    response.end();
  };

/** A stream with an error event after some events, as providers report it. */
export const errorEventAfter = (eventCount: number): Reply =>
  events(
    [...sample(eventCount), JSON.stringify(errorBody('The server is overloaded.', 'server_error', 'overloaded'))],
    {
      done: false,
    },
  );

/** Ends the connection normally, without finish reason, usage or final event. */
export const endsAfter = (eventCount: number): Reply => events(sample(eventCount), { done: false });

/** Status 200 with an empty body. */
export const emptyBody = (): Reply => (response, request) => {
  const type = request.stream ? 'text/event-stream' : 'application/json';
  response.writeHead(200, { 'content-type': type }).end();
};

/** Status 200 with an error in the body, as some providers do. */
export const errorInside = (): Reply =>
  json(errorBody('The engine is currently overloaded.', 'server_error', null), 200);

/** The first events of the recorded chat stream; all of them without a count. */
function sample(count?: number): string[] {
  return recordedEvents('openai/openai-text').slice(0, count);
}
