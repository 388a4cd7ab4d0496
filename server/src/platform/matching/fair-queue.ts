/** Maximum number of waiting entries of one user, and of all users. */
const maxOfUser = 200;
const maxOfAll = 2000;

/** A queue in which users take turns, so that the many entries of one user do not delay the entry of another. */
export class FairQueue<T> {
  private readonly waiting = new Map<number, T[]>();
  private size = 0;

  /** @returns false when the queue is full */
  push(userId: number, entry: T): boolean {
    const own = this.waiting.get(userId) ?? [];
    if (own.length >= maxOfUser || this.size >= maxOfAll) return false;
    own.push(entry);
    this.waiting.set(userId, own);
    this.size++;
    return true;
  }

  shift(): T | undefined {
    const [next] = this.waiting;
    if (!next) return undefined;
    const [userId, own] = next;
    const entry = own.shift();
    this.size--;
    // The user is moved behind the other users.
    this.waiting.delete(userId);
    if (own.length > 0) this.waiting.set(userId, own);
    return entry;
  }
}
