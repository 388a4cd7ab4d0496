import { AppError } from '../../shared/errors.js';
import type { StreamTransform } from '../../dialects/contract.js';
import type { Usage, UsageDetails } from '../../shared/usage.js';
import type { ClientResponse } from './client-response.js';
import { HeldOpening } from './held-opening.js';
import { RelayError } from '../../dialects/errors/relay-error.js';
import type { UpstreamError } from '../../dialects/errors/upstream-error.js';
import type { Exchange } from '../upstream/exchange.js';

/** The client closed its connection before its response was complete. */
export class ClientGoneError extends Error {
  constructor() {
    super('the client left');
  }
}

/** How receiving the provider's response ended. */
export type DeliveryEnd =
  | { readonly kind: 'complete' }
  | { readonly kind: 'client_gone' }
  /** The provider's response broke off after the client had received part of it. */
  | { readonly kind: 'broken'; readonly error: unknown };

/**
 * Everything the provider sent. It has been forwarded, except for the event that ends the stream and those after it: they
 * wait for the charge, so that a client that has the whole response has paid for it.
 */
export interface Delivery {
  readonly end: DeliveryEnd;
  /** The usage as reported by the provider. */
  readonly usage: Usage | null;
  /** Quantities that the provider reported besides tokens, when it reported no tokens. Tokens are then counted here. */
  readonly details?: UsageDetails | undefined;
  /**
   * The number of output tokens that were sent, when this server ended the stream because the reservation pays for no
   * more.
   */
  readonly stoppedAt?: number;
  /**
   * The provider's failure, when the provider reported it inside of a complete response. The client has read it there.
   */
  readonly reportedFailure?: UpstreamError | undefined;
  /**
   * A guardrail refused the rest of the response, and the client gets this error. `isEarly`: the provider's usage
   * report had not arrived.
   */
  readonly refused?: { readonly error: unknown; readonly isEarly: boolean } | undefined;
  /** Reports the received content to the transcript. */
  report(): void;
  /**
   * Aborts a response that cannot carry an in-band error (audio, binary). If absent, the error is sent in the client's
   * dialect.
   */
  breakOff?(): void;
  /** Sends the end of the response. Called after the call was charged. */
  finish(usage: Usage): void;
}

/** The client disconnected before the provider responded, so nothing was received. */
export const goneDelivery: Delivery = {
  end: { kind: 'client_gone' },
  usage: null,
  report: () => undefined,
  finish: () => undefined,
};

/**
 * Forwards a stream as it arrives. Nothing is sent before the provider sends content, so an earlier failure is thrown
 * and another channel may serve the call.
 * @param holdsOpening false when the client needs the first event, which names the response, at once
 * @throws UpstreamError, AppError while the client has received nothing
 */
export function deliverStream(
  exchange: Exchange,
  transform: StreamTransform,
  client: ClientResponse,
  open: () => void,
  onFirstByte: () => void,
  holdsOpening = true,
): Promise<Delivery> {
  return new Promise((resolve, reject) => {
    let ended = false;
    let received = false;
    const forward = (out: Buffer | string): void => {
      open();
      client.write(out, exchange);
    };
    // The opening is dropped as soon as possible: a stream may be open for hours.
    let opening = holdsOpening ? new HeldOpening(forward) : null;
    const finish = (end: DeliveryEnd): void => {
      ended = true;
      const isUnserved = !client.started && (end.kind === 'broken' || unservedBy(transform) !== undefined);
      if (isUnserved || end.kind === 'client_gone') opening?.drop();
      else opening?.release();
      try {
        resolve(delivered(end, transform, client, open));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const send = (out: Buffer | string | null): void => {
      if (out === null) return;
      if (opening === null) forward(out);
      else if (opening.push(out)) opening = null;
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
        // The provider is aborted, because further output would have to be paid for.
        if (typeof transform.stoppedAt === 'number') exchange.abort(new Error('the output limit is reached'));
        else exchange.discard();
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

/** @throws the failure of a stream of which the client has received nothing */
function delivered(end: DeliveryEnd, transform: StreamTransform, client: ClientResponse, open: () => void): Delivery {
  if (!client.started) {
    if (end.kind === 'broken') throw end.error;
    const failure = unservedBy(transform);
    if (failure) throw failure;
  }
  return {
    end,
    usage: transform.usage(),
    ...(typeof transform.stoppedAt === 'number' ? { stoppedAt: transform.stoppedAt } : {}),
    report: () => transform.report(),
    finish: (usage) => {
      open();
      client.end(transform.closing(usage));
    },
  };
}

/** The error by which the provider reports that it could not serve the call. It charges nothing for such a call. */
const unservedBy = (transform: StreamTransform): UpstreamError | undefined =>
  transform.usage() === null ? transform.reportedFailure : undefined;

/** The failure of a stream that ended without its last event. */
export const cutShort = (): RelayError =>
  new RelayError('UPSTREAM_INVALID_RESPONSE', 'The upstream ended its response too early', 'stream_response_error');

const asFailure = (error: unknown): Error =>
  error instanceof AppError
    ? error
    : new RelayError('UPSTREAM_INVALID_RESPONSE', 'The upstream response could not be read', 'stream_response_error', {
        cause: error,
      });
