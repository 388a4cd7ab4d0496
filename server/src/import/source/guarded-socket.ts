import { isIP, Socket } from 'node:net';
import type { OutboundGuard } from '../../platform/outbound/outbound-guard.js';
import { SourceError } from './source.js';

/**
 * A socket for the drivers of source databases that connects only where channels may: private addresses, but never
 * link-local ones and those of cloud metadata. The name is resolved once, so the checked address is the one used.
 */
export class GuardedSocket extends Socket {
  constructor(private readonly guard: OutboundGuard) {
    super();
  }

  /**
   * Connects, with the parameters that the drivers pass.
   * @throws SourceError for an address that must not be called
   */
  override connect(...target: unknown[]): this {
    const [port, host] = target as [number, string];
    const literal = host.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0 && !this.guard.isAllowed(literal, 'admin')) {
      throw new SourceError('This address cannot be called from here');
    }
    return super.connect({ port, host: literal, lookup: this.guard.lookup('admin') });
  }
}
