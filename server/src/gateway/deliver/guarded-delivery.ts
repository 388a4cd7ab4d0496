import type { ClientResponse } from './client-response.js';
import { HeldOpening } from './held-opening.js';
import { ClientGoneError, cutShort, type Delivery, type DeliveryEnd } from './delivery.js';
import { isAppError } from '../../shared/errors.js';
import type { Exchange } from '../upstream/exchange.js';
import type { GuardedStream } from './guarded-stream.js';

/**
 * Forwards a stream in checked windows. While a check waits, nothing is read from the provider. After a refusal the
 * stream is read up to the provider's usage report, as for a client that disconnects.
 * @param readOn decides how far the stream is read; returns a function that ends the reading
 * @throws UpstreamError, AppError of the provider while the client has received nothing
 */
export async function deliverGuarded(
  exchange: Exchange,
  stream: GuardedStream,
  client: ClientResponse,
  open: () => void,
  onFirstByte: () => void,
  readOn: () => () => void,
): Promise<Delivery> {
  const forwarding = new Forwarding(exchange, stream, client, open, onFirstByte, readOn);
  const end = await forwarding.run();
  const { refused } = forwarding;
  forwarding.sendOpening(end);
  if (end.kind === 'broken' && !client.started) throw end.error;
  const { inner } = stream;
  return {
    end,
    usage: inner.usage(),
    ...(typeof inner.stoppedAt === 'number' ? { stoppedAt: inner.stoppedAt } : {}),
    ...(refused === null ? {} : { refused: { error: refused, isEarly: !inner.done } }),
    report: () => inner.report(),
    finish: (usage) => {
      open();
      client.end(stream.closing(usage));
    },
  };
}

class Forwarding {
  /** The error by which the rest of the response is refused. */
  refused: unknown = null;
  private isOver = false;
  private stopReading: (() => void) | undefined;
  private received = false;
  private working = 0;
  private isClientFull = false;
  private steps: Promise<void> = Promise.resolve();
  private resolve: (end: DeliveryEnd) => void = () => undefined;
  private readonly opening = new HeldOpening((out) => this.write(out));

  constructor(
    private readonly exchange: Exchange,
    private readonly stream: GuardedStream,
    private readonly client: ClientResponse,
    private readonly open: () => void,
    private readonly onFirstByte: () => void,
    private readonly readOn: () => () => void,
  ) {}

  run(): Promise<DeliveryEnd> {
    return new Promise((resolve) => {
      this.resolve = resolve;
      this.exchange.pipe({
        data: (bytes) => {
          if (!this.received) this.onFirstByte();
          this.received = true;
          this.step(() => this.take(bytes));
        },
        end: () => this.step(() => this.end()),
        // Everything that was received before the failure is checked and sent first.
        fail: (error) =>
          this.step(async () =>
            this.finish(
              this.refused !== null
                ? { kind: 'complete' }
                : error instanceof ClientGoneError
                  ? { kind: 'client_gone' }
                  : { kind: 'broken', error },
            ),
          ),
      });
    });
  }

  private step(work: () => Promise<void>): void {
    this.working++;
    this.exchange.pause();
    this.steps = this.steps.then(async () => {
      if (!this.isOver) await work().catch((error: unknown) => this.failed(error));
      this.working--;
      this.goOn();
    });
  }

  private async take(bytes: Buffer): Promise<void> {
    if (this.refused !== null) return this.takeRest(bytes);
    this.send(await this.stream.push(bytes));
    const { inner } = this.stream;
    if (inner.failure) return this.finish({ kind: 'broken', error: inner.failure });
    if (!inner.done) return;
    await this.finishStream();
    if (typeof inner.stoppedAt === 'number') this.exchange.abort(new Error('the output limit is reached'));
    else this.exchange.discard();
  }

  /** Reads the usage report of a refused response. */
  private takeRest(bytes: Buffer): void {
    const { inner } = this.stream;
    inner.push(bytes);
    if (!inner.done && !inner.failure) return;
    this.finish({ kind: 'complete' });
    this.exchange.discard();
  }

  private async end(): Promise<void> {
    const { inner } = this.stream;
    if (this.refused !== null) {
      inner.end();
      return this.finish({ kind: 'complete' });
    }
    this.send(await this.stream.end());
    if (inner.failure) return this.finish({ kind: 'broken', error: inner.failure });
    if (!inner.complete) return this.finish({ kind: 'broken', error: cutShort() });
    await this.finishStream();
  }

  private async finishStream(): Promise<void> {
    this.send(await this.stream.finish());
    const { failure } = this.stream;
    this.finish(failure ? { kind: 'broken', error: failure } : { kind: 'complete' });
  }

  private failed(error: unknown): void {
    const isRefusal = isAppError(error) && (error.code === 'GUARDRAIL_BLOCKED' || error.code === 'SERVICE_UNAVAILABLE');
    if (isRefusal && this.refused === null && !this.stream.inner.done) {
      this.refused = error;
      this.isClientFull = false;
      this.stopReading = this.readOn();
      return;
    }
    if (isRefusal) this.refused ??= error;
    this.finish(this.refused === null ? { kind: 'broken', error } : { kind: 'complete' });
    this.exchange.abort(new Error('the output was refused'));
  }

  /**
   * Holds back the opening of a stream that serves nothing, or is refused at once, so that the client gets an error
   * status.
   */
  sendOpening(end: DeliveryEnd): void {
    if (end.kind === 'complete' && this.refused === null) this.opening.release();
    else if (this.client.started && end.kind !== 'client_gone') this.opening.release();
    else this.opening.drop();
  }

  private send(out: string): void {
    if (out !== '') this.opening.push(out);
  }

  private write(out: Buffer | string): void {
    this.open();
    this.client.write(out, {
      pause: () => {
        if (this.refused !== null) return;
        this.isClientFull = true;
        this.exchange.pause();
      },
      resume: () => {
        this.isClientFull = false;
        this.goOn();
      },
    });
  }

  private goOn(): void {
    if (this.working === 0 && !this.isClientFull) this.exchange.resume();
  }

  private finish(end: DeliveryEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stopReading?.();
    this.resolve(end);
  }
}
