import type { Worker } from 'node:cluster';

/** A connection that the primary hands to a worker, as Node sends it. */
interface HandedOver {
  readonly act?: unknown;
  readonly seq?: unknown;
}

/**
 * Closes the connections that were being transferred to a worker when it died. Node closes its copy of a connection
 * when the worker confirms it. Without a confirmation the copy would stay open forever, and its client would wait
 * forever.
 */
export function closeUnconfirmed(worker: Worker): void {
  const { process } = worker;
  const unconfirmed = new Map<unknown, { close(): void }>();
  const send = process.send.bind(process) as (...parameters: readonly unknown[]) => boolean;
  process.send = (...parameters: readonly unknown[]): boolean => {
    const [message, handle] = parameters as [HandedOver | undefined, { close(): void } | undefined];
    if (handle && message?.act === 'newconn') unconfirmed.set(message.seq, handle);
    return send(...parameters);
  };
  process.on('internalMessage', (message: { readonly ack?: unknown } | undefined) => {
    if (message?.ack !== undefined) unconfirmed.delete(message.ack);
  });
  // The `disconnect` event is not used: it does not occur while a connection is still being transferred.
  process.once('exit', () => {
    for (const handle of unconfirmed.values()) handle.close();
    unconfirmed.clear();
  });
}
