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

export interface StatusServiceParts {
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

  constructor(private readonly parts: StatusServiceParts) {
    this.startTime = seconds(parts.clock);
  }

  async get(): Promise<Status> {
    const setup = await this.parts.setup.isDone();
    const status = toStatus(this.parts.options.values, { version, startTime: this.startTime, setup });
    return { ...status, footerHtml: this.cleaner.clean(status.footerHtml) };
  }

  /** Asks the database at most once in ten seconds. @throws AppError SERVICE_UNAVAILABLE */
  async test(actor: MaybeActor): Promise<void> {
    requireRole(actor, 'admin');
    const now = this.parts.clock.now();
    if (!this.lastPing || now - this.lastPing.at >= pingEveryMilliseconds) {
      const works = this.parts.database.query('SELECT 1').then(
        () => true,
        () => false,
      );
      this.lastPing = { at: now, works };
    }
    if (!(await this.lastPing.works)) throw new UnavailableError('Database connection failed');
  }

  /** Texts of admins: Markdown, HTML or one https address. Active content is removed. */
  get notice(): string {
    return this.cleaner.clean(this.parts.options.values.Notice);
  }

  get about(): string {
    return this.cleaner.clean(this.parts.options.values.About);
  }

  get homePageContent(): string {
    return this.cleaner.clean(this.parts.options.values.HomePageContent);
  }
}
