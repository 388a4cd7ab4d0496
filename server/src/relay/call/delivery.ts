import { AppError } from '../../shared/errors.js';
import type { StreamTransform } from '../adapter.js';
import type { Usage } from '../usage.js';
import type { ClientResponse } from './client-response.js';
import { RelayError } from '../errors/relay-error.js';
import type { Exchange } from '../upstream/exchange.js';

/** The client closed its connection before its answer was complete. */
export class ClientGoneError extends Error {
  constructor() {
    super('the client left');
  }
}

/** How a call ended, as far as what was received goes. */
export type DeliveryEnd =
  | { readonly kind: 'complete' }
  | { readonly kind: 'client_gone' }
  /** The upstream broke off after the client had got something. */
  | { readonly kind: 'broken'; readonly error: unknown };

/** Everything the provider sent, forwarded up to, not including, what ends the answer. */
export interface Delivery {
  readonly end: DeliveryEnd;
  /** As the provider reported it. */
  readonly usage: Usage | null;
  /** Tells the transcript what was received. */
  report(): void;
  /** Ends an answer whose bytes are nothing that could tell of a failure. Missing: the client's dialect tells it. */
  breakOff?(): void;
  /** Sends what ends the answer. Called after the call was paid. */
  finish(usage: Usage): void;
}

/** The client left before the upstream answered: nothing was received. */
export const goneDelivery: Delivery = {
  end: { kind: 'client_gone' },
  usage: null,
  report: () => undefined,
  finish: () => undefined,
};

/**
 * Forwards a stream as it comes. Nothing is sent before the provider sent something worth sending, so a failure until
 * then is thrown and another channel may serve the call.
 * @throws UpstreamError, AppError while the client got nothing
 */
export async function deliverStream(
  exchange: Exchange,
  transform: StreamTransform,
  client: ClientResponse,
  open: () => void,
  onFirstByte: () => void,
): Promise<Delivery> {
  const end = await forward(exchange, transform, client, open, onFirstByte);
  if (end.kind === 'broken' && !client.started) throw end.error;
  return {
    end,
    usage: transform.usage(),
    report: () => transform.report(),
    finish: (usage) => {
      open();
      client.end(transform.closing(usage));
    },
  };
}

function forward(
  exchange: Exchange,
  transform: StreamTransform,
  client: ClientResponse,
  open: () => void,
  onFirstByte: () => void,
): Promise<DeliveryEnd> {
  return new Promise((resolve) => {
    let ended = false;
    let received = false;
    const finish = (end: DeliveryEnd): void => {
      ended = true;
      resolve(end);
    };
    const send = (out: Buffer | string | null): void => {
      if (out === null) return;
      open();
      client.write(out, exchange);
    };
    exchange.pipe({
      data: (bytes) => {
        if (ended) return;
        if (!received) {
          received = true;
          onFirstByte();
        }
        try {
          send(transform.push(bytes));
        } catch (error) {
          return exchange.abort(asFailure(error));
        }
        if (!transform.failure && !transform.done) return;
        finish(transform.failure ? { kind: 'broken', error: transform.failure } : { kind: 'complete' });
        exchange.discard();
      },
      end: () => {
        if (ended) return;
        try {
          send(transform.end());
        } catch (error) {
          return finish({ kind: 'broken', error: asFailure(error) });
        }
        if (transform.failure) finish({ kind: 'broken', error: transform.failure });
        else finish(transform.complete ? { kind: 'complete' } : { kind: 'broken', error: cutShort() });
      },
      fail: (error) => {
        if (ended) return;
        finish(error instanceof ClientGoneError ? { kind: 'client_gone' } : { kind: 'broken', error });
      },
    });
  });
}

const cutShort = (): RelayError =>
  new RelayError('UPSTREAM_INVALID_RESPONSE', 'The upstream ended its answer too early', 'stream_response_error');

const asFailure = (error: unknown): Error =>
  error instanceof AppError
    ? error
    : new RelayError(
        'UPSTREAM_INVALID_RESPONSE',
        'The answer of the upstream could not be read',
        'stream_response_error',
        {
          cause: error,
        },
      );
