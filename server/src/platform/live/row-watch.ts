import { Mailbox, maxDelivered, type Delivery } from './mailbox.js';
import type { Signals } from './signals.js';

/** Decides which rows of one kind a subscriber sees, and how they are presented. */
export interface Watcher<Row, View> {
  readonly sees: (row: Row) => boolean;
  readonly show: (row: Row) => View;
  /** Whether deleted rows count as missed. They do for a subscriber that saw all rows. */
  readonly reportDeleted: boolean;
  /** Called once, when the subscription has ended. */
  readonly onClose?: () => void;
}

export interface RowWatchDeps<Row extends { readonly id: number }> {
  readonly signals: Signals;
  /** @returns the rows that still exist */
  readonly read: (ids: readonly number[]) => Promise<readonly Row[]>;
  readonly report: (error: unknown) => void;
}

type Deliver<Row> = (rows: readonly Row[], gone: number, unknown: number) => void;

/** Changes within this time are read in one statement. */
const gatherMilliseconds = 100;

/**
 * Delivers rows of one kind to subscribers as they change. One statement serves all subscribers of this node, and none
 * runs while there are none.
 */
export class RowWatch<Row extends { readonly id: number }> {
  private readonly places = new Set<Deliver<Row>>();
  private readonly touched = new Set<number>();
  private unknown = false;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly deps: RowWatchDeps<Row>) {}

  /** @param ids the rows that changed; null: unknown */
  touch(ids: readonly number[] | null): void {
    if (this.places.size === 0) return;
    if (ids === null) this.unknown = true;
    for (const id of ids ?? []) this.touched.add(id);
    this.timer ??= setTimeout(() => void this.look(), gatherMilliseconds);
  }

  /** @returns a subscription that misses no later change, once it is registered */
  async watch<View extends { readonly id: number }>(
    watcher: Watcher<Row, View>,
  ): Promise<AsyncIterableIterator<Delivery<View>>> {
    const { sees, show, reportDeleted: reportDeleted, onClose } = watcher;
    const endWatch = await this.deps.signals.watch();
    const mailbox = new Mailbox<View>(
      maxDelivered,
      ({ id }) => id,
      () => {
        this.places.delete(deliver);
        endWatch();
        onClose?.();
      },
    );
    const deliver: Deliver<Row> = (rows, gone, unknown) =>
      mailbox.put(rows.filter(sees).map(show), unknown + (reportDeleted ? gone : 0));
    this.places.add(deliver);
    return mailbox;
  }

  private async look(): Promise<void> {
    const ids = [...this.touched].slice(0, maxDelivered);
    for (const id of ids) this.touched.delete(id);
    const unknown = Number(this.unknown);
    this.unknown = false;
    try {
      const rows = ids.length === 0 ? [] : await this.deps.read(ids);
      for (const deliver of this.places) deliver(rows, ids.length - rows.length, unknown);
    } catch (error) {
      this.deps.report(error);
      // Rows that cannot be read now count as missed, so that the client reloads the list.
      for (const deliver of this.places) deliver([], 0, unknown + ids.length);
    } finally {
      this.timer = null;
      if (this.touched.size > 0 || this.unknown) this.touch([]);
    }
  }
}
