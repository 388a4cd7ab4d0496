import type { TableCounts } from './report.js';

/** How far a run is. Rows of all steps together. */
export interface ProgressState {
  /** Table that is moved, or `proof`. */
  readonly step: string;
  readonly done: number;
  readonly total: number;
  /** Estimate from the speed so far; null at the beginning. */
  readonly secondsLeft: number | null;
}

/** Seconds before the speed says anything. */
const warmUp = 2;

export class Progress {
  private readonly began = Date.now();
  private readonly total: number;
  private step = '';
  private done = 0;
  /** Rows that an earlier run had moved. */
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

  /** Rows that need no work, because an earlier run has moved them. */
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
