import type { DataSource } from 'typeorm';
import { requireRole, type MaybeActor } from '../../shared/actor.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { UnavailableError } from '../../shared/errors.js';
import { version } from '../../shared/version.js';
import type { OptionValues } from '../options/option.service.js';
import type { SetupService } from '../setup/setup.service.js';
import { Cleaner } from './clean-html.js';
import { toStatus, type Status } from './status.js';

const pingEveryMilliseconds = 10_000;

export interface StatusServiceDeps {
  readonly options: { readonly values: OptionValues };
  readonly setup: Pick<SetupService, 'isDone'>;
  readonly database: Pick<DataSource, 'query'>;
  readonly clock: Clock;
}

/** Public facts about the site, and the database check. */
export class StatusService {
  private readonly startTime: number;
  private readonly cleaner = new Cleaner();
  private lastPing: { readonly at: number; readonly works: Promise<boolean> } | undefined;

  constructor(private readonly deps: StatusServiceDeps) {
    this.startTime = seconds(deps.clock);
  }

  async get(): Promise<Status> {
    const setup = await this.deps.setup.isDone();
    const status = toStatus(this.deps.options.values, { version, startTime: this.startTime, setup });
    return { ...status, footerHtml: this.cleaner.clean(status.footerHtml) };
  }

  /**
   * Checks the database at most once in ten seconds.
   * @throws AppError SERVICE_UNAVAILABLE
   */
  async test(actor: MaybeActor): Promise<void> {
    requireRole(actor, 'admin');
    const now = this.deps.clock.now();
    if (!this.lastPing || now - this.lastPing.at >= pingEveryMilliseconds) {
      const works = this.deps.database.query('SELECT 1').then(
        () => true,
        () => false,
      );
      this.lastPing = { at: now, works };
    }
    if (!(await this.lastPing.works)) throw new UnavailableError('Database connection failed');
  }

  /** Admin texts: Markdown, HTML or one https URL. Active content is removed. */
  get notice(): string {
    return this.cleaner.clean(this.deps.options.values.Notice);
  }

  get about(): string {
    return this.cleaner.clean(this.deps.options.values.About);
  }

  get homePageContent(): string {
    return this.cleaner.clean(this.deps.options.values.HomePageContent);
  }
}
