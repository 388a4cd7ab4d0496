import type { StreamTransform } from '../../contract.js';
import type { UpstreamError } from '../../errors/upstream-error.js';
import type { Usage } from '../../../shared/usage.js';

/**
 * A stream around another one. Usage, end and failure are those of the inner stream unless a subclass overrides them.
 */
export abstract class WrappedStream implements StreamTransform {
  constructor(protected readonly inner: StreamTransform) {}

  abstract push(bytes: Buffer): Buffer | string | null;
  abstract end(): Buffer | string | null;

  report(): void {
    this.inner.report();
  }

  closing(usage: Usage): Buffer | string {
    return this.inner.closing(usage);
  }

  usage(): Usage | null {
    return this.inner.usage();
  }

  get done(): boolean {
    return this.inner.done;
  }

  get complete(): boolean {
    return this.inner.complete;
  }

  get failure(): UpstreamError | null {
    return this.inner.failure;
  }

  get reportedFailure(): UpstreamError | undefined {
    return this.inner.reportedFailure;
  }
}
