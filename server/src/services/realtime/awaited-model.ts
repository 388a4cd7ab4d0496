import type { RawData, WebSocket } from 'ws';
import { assertJsonBounds } from '../../shared/json.js';
import type { BodyGrant } from '../../gateway/admit/body-budget.js';
import { CallFailedError } from '../../gateway/send/attempts.js';
import { ClientGoneError } from '../../gateway/deliver/delivery.js';
import { malformed } from '../../dialects/errors/relay-error.js';
import { errorFrame, eventBounds, failureOf } from './session-events.js';
import { transcriberNamedBy } from './session-model.js';
import { eventIn } from './session-watch.js';
import { closeSocket, toBuffer, type Frame } from './socket-pair.js';
import { pauseReading } from './socket-reading.js';
import { secondsIn } from '../../shared/clock.js';

export interface AwaitedModelDeps {
  readonly requestId: string;
  /** The grant of the request body budget for the kept frames. */
  readonly kept: BodyGrant;
  /** Milliseconds until an event has to name the model. */
  readonly milliseconds: number;
  /** Milliseconds that the client may take to complete the closing handshake. */
  readonly closeMilliseconds: number;
}

/** Limits of the kept frames of one client. Audio of 20 ms per frame reaches neither limit within four seconds. */
const maxFrames = 1000;
const maxBytes = 256 * 1024;

/** A client whose session gets its model from an event. Its frames are kept until the provider is connected. */
export class AwaitedModel {
  private readonly frames: Frame[] = [];
  private bytes = 0;
  private isNamed = false;
  private readonly left = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private resolve: (model: string) => void = () => undefined;
  private reject: (error: unknown) => void = () => undefined;

  /**
   * The model.
   * @throws RelayError when none is named in time, CallFailedError when the client disconnects or the server stops
   */
  readonly model = new Promise<string>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor(
    private readonly client: WebSocket,
    private readonly deps: AwaitedModelDeps,
  ) {
    const { milliseconds } = deps;
    client.on('error', () => undefined);
    client.on('message', this.receive);
    client.once('close', () => this.leave());
    this.timer = setTimeout(
      () =>
        this.reject(malformed(`no event named a model for transcription within ${secondsIn(milliseconds)} seconds`)),
      milliseconds,
    );
  }

  /** Aborted when the client disconnects or the server stops. */
  get signal(): AbortSignal {
    return this.left.signal;
  }

  /** Returns the kept frames in their order. The caller receives later frames itself. */
  take(): readonly Frame[] {
    this.stopReceiving();
    return this.frames;
  }

  /** Sends the error and closes the connection. */
  refuse(error: unknown): void {
    const { requestId, closeMilliseconds } = this.deps;
    this.stopReceiving();
    const isOpen = this.client.readyState === this.client.OPEN;
    if (isOpen) this.client.send(errorFrame(error, requestId));
    closeSocket(this.client, failureOf(error).status < 500 ? 1008 : 1011, 'the session was refused', closeMilliseconds);
  }

  /** Ends the wait because the server stops. */
  close(): void {
    this.leave();
    closeSocket(this.client, 1012, 'the server is restarting', this.deps.closeMilliseconds);
  }

  private readonly receive = (data: RawData, isBinary: boolean): void =>
    this.accept({ data: toBuffer(data), isBinary });

  /** Handles a frame of the client, or one that stands for it. */
  accept(frame: Frame): void {
    try {
      this.keep(frame);
      if (!this.isNamed && !frame.isBinary) this.read(frame);
    } catch (error) {
      // No code waits for the model once it is known, so the client gets the error here.
      if (this.isNamed) this.refuse(error);
      else this.reject(error);
    }
  }

  private keep(frame: Frame): void {
    this.frames.push(frame);
    this.bytes += frame.data.length;
    this.deps.kept.grow(frame.data.length);
    if (this.frames.length <= maxFrames && this.bytes <= maxBytes) return;
    if (!this.isNamed) throw malformed('too many events came before one named a model for transcription');
    // The client waits while its provider is being connected.
    pauseReading(this.client, 'forwarding');
  }

  private read({ data }: Frame): void {
    assertJsonBounds(data, eventBounds);
    const model = transcriberNamedBy(eventIn(data) ?? {});
    if (model === null) return;
    this.isNamed = true;
    clearTimeout(this.timer);
    this.resolve(model);
  }

  private leave(): void {
    this.stopReceiving();
    this.left.abort();
    this.reject(new CallFailedError(new ClientGoneError(), undefined, []));
  }

  private stopReceiving(): void {
    clearTimeout(this.timer);
    this.client.off('message', this.receive);
    this.deps.kept.release();
  }
}
