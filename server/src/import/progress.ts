import type { TableCounts } from './report.js';

/** The progress of a run. Rows are counted over all steps. */
export interface ProgressState {
  /** Table that is imported, or `proof`. */
  readonly step: string;
  readonly done: number;
  readonly total: number;
  /** Estimate from the speed so far; null at the beginning. */
  readonly secondsLeft: number | null;
}

/** Seconds before the speed is reliable enough for an estimate. */
const warmUp = 2;

export class Progress {
  private readonly began = Date.now();
  private readonly total: number;
  private step = '';
  private done = 0;
  /** Rows that an earlier run had imported. */
  private skipped = 0;

  constructor(
    tables: readonly TableCounts[],
    private readonly onProgress: (state: ProgressState) => void,
  ) {
    this.total = tables.reduce((sum, { found }) => sum + found, 0);
  }

  begin(step: string): void {
    this.step = step;
    this.report();
  }

  advance(rows: number): void {
    this.done += rows;
    this.report();
  }

  /** Counts rows that need no work, because an earlier run has imported them. */
  skip(rows: number): void {
    this.skipped += rows;
    this.advance(rows);
  }

  private report(): void {
    const seconds = (Date.now() - this.began) / 1000;
    const worked = this.done - this.skipped;
    const left = Math.max(0, this.total - this.done);
    const secondsLeft = seconds < warmUp || worked === 0 ? null : Math.round((left * seconds) / worked);
    this.onProgress({ step: this.step, done: Math.min(this.done, this.total), total: this.total, secondsLeft });
  }
}
