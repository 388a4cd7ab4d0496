import { millisecondsIn, secondsIn } from '../../shared/clock.js';

interface Bucket {
  /** Bytes that may arrive at once. A negative number must refill before anything more is read. */
  left: number;
  /** Time of the last refill, by `performance.now()`. */
  at: number;
}

/** Bytes of a user's WebSockets. */
export const byteRate = {
  /** A frame of the maximum size needs no wait, because the burst is as large. */
  burst: 16 * 1024 * 1024,
  /** The rate suffices for voice: a session sends 64 KB of PCM16 as base64 per second. */
  perSecond: 8 * 1024 * 1024,
};
/** Above this number of known users, users whose buckets are full are forgotten. */
const maxKnown = 1000;

/** Bounds the bytes per second that the WebSockets of one user send to this node. */
export class ByteRate {
  private readonly users = new Map<number, Bucket>();

  constructor(private readonly limits = byteRate) {}

  /**
   * Counts bytes that arrived.
   * @returns milliseconds in which nothing more is to be read; usually 0
   */
  delay(userId: number, bytes: number): number {
    const now = performance.now();
    const { burst: most, perSecond: rate } = this.limits;
    let bucket = this.users.get(userId);
    if (!bucket) {
      if (this.users.size >= maxKnown) this.forget(now);
      this.users.set(userId, (bucket = { left: most, at: now }));
    }
    bucket.left = Math.min(most, bucket.left + secondsIn(now - bucket.at) * rate) - bytes;
    bucket.at = now;
    return bucket.left >= 0 ? 0 : Math.ceil(millisecondsIn(-bucket.left) / rate);
  }

  private forget(now: number): void {
    const { burst: most, perSecond: rate } = this.limits;
    for (const [userId, { left, at }] of this.users) {
      if (left + secondsIn(now - at) * rate >= most) this.users.delete(userId);
    }
  }
}
