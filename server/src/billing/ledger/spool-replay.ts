import { UnstoredError } from './ledger-errors.js';
import type { SettleLine } from './ledger-lines.js';
import type { Spool } from './spool.js';

interface SpoolReplayDeps {
  readonly spool: Pick<Spool, 'rotate' | 'pending' | 'claim' | 'read' | 'remove'>;
  readonly logger: { info(details: object, message: string): void; error(details: object, message: string): void };
  /**
   * Settles a spooled line. A line that was settled before changes nothing.
   * @throws UnstoredError when the line could be neither settled nor stored
   */
  readonly settle: (line: SettleLine) => Promise<unknown>;
}

/** Settles the calls of spool files, one replay after the other: concurrent replays would remove each other's file. */
export class SpoolReplay {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: SpoolReplayDeps) {}

  /**
   * Settles the spool files of this node and of dead nodes.
   * @returns the number of settled lines
   */
  run(isDead: (nodeId: string) => boolean): Promise<number> {
    const replay = this.last.then(() => this.replayFiles(isDead));
    this.last = replay.catch(() => undefined);
    return replay;
  }

  private async replayFiles(isDead: (nodeId: string) => boolean): Promise<number> {
    const { spool, logger, settle } = this.deps;
    await spool.rotate();
    let count = 0;
    for (const found of await spool.pending(isDead)) {
      let name = found;
      try {
        name = await spool.claim(found);
        const lines = await spool.read(name);
        const results = await Promise.allSettled(lines.map(settle));
        // The database may have failed meanwhile: then the lines are in the open file again, which is kept.
        for (const result of results) {
          if (result.status === 'rejected' && result.reason instanceof UnstoredError) throw result.reason;
        }
        await spool.remove(name);
        count += lines.length;
        logger.info({ file: name, lines: lines.length }, 'spooled settlements were replayed');
      } catch (error) {
        // An unreadable spool file does not block the others. It is retried on the next heartbeat.
        logger.error({ err: error, file: name }, 'spooled settlements could not be replayed');
      }
    }
    return count;
  }
}
