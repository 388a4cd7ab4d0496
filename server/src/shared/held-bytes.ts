/** Bytes of a buffer that is held at least. A socket tells when it has written so many, because its own buffer takes fewer. */
const minHeld = 64 * 1024;

/** The number of holders of a buffer: calls, sockets and caches that still read it. */
const holders = new WeakMap<Buffer, number>();

/** Node 20 has no such method. */
interface Transferable {
  transfer?(bytes: 0): unknown;
}

/**
 * Frees the memory of a buffer that nothing reads again. Otherwise V8 collects the whole heap each time that such memory
 * has grown by some 64 MB. A part of a buffer is left alone, because its other parts may be in use.
 */
export function free({ buffer, byteLength }: Buffer): void {
  if (byteLength === buffer.byteLength) (buffer as Transferable).transfer?.(0);
}

/** Adds a holder to a large buffer, until `letGo` is called. If it never is, the memory is left to V8. */
export function hold(bytes: Buffer): void {
  if (bytes.length >= minHeld) holders.set(bytes, (holders.get(bytes) ?? 0) + 1);
}

/** Adds a holder to a buffer that has one already. Other buffers are never freed. */
export function share(bytes: Buffer): void {
  if (holders.has(bytes)) hold(bytes);
}

/** Removes a holder. The last one frees the buffer. */
export function letGo(bytes: Buffer): void {
  const left = (holders.get(bytes) ?? 0) - 1;
  if (left > 0) holders.set(bytes, left);
  else if (holders.delete(bytes)) free(bytes);
}

/**
 * Returns a body for undici, which reads the memory of a buffer for as long as its socket has not written it.
 * @returns the buffer itself if it has no holder
 */
export function lent(bytes: Buffer): Buffer | Iterable<Buffer> {
  if (!holders.has(bytes)) return bytes;
  share(bytes);
  return once(bytes);
}

/** undici asks for the next piece when its socket has written this one, or is closed. */
function* once(bytes: Buffer): Iterable<Buffer> {
  yield bytes;
  letGo(bytes);
}
