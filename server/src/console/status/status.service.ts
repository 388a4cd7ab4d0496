import type { DataSource } from 'typeorm';
import { type MaybeActor, requirePermission } from '../../shared/actor.js';
import { type Clock, seconds } from '../../shared/clock.js';
import { UnavailableError } from '../../shared/errors.js';
import { version } from '../../shared/version.js';
import type { OptionValues } from '../../options/option.service.js';
import type { SignInProviderService } from '../oauth/index.js';
import type { SetupService } from '../setup/index.js';
import { Cleaner } from './cleaner.js';
import { type Status, toStatus } from './status.js';

const pingEveryMilliseconds = 10_000;

export interface StatusServiceDeps {
  readonly options: { readonly values: OptionValues };
  readonly setup: Pick<SetupService, 'isDone'>;
  readonly signInProviders: Pick<SignInProviderService, 'offered'>;
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
    const [setup, offered] = await Promise.all([this.deps.setup.isDone(), this.deps.signInProviders.offered()]);
    const signInProviders = offered.map(({ slug, name, icon }) => ({ slug, name, icon }));
    const status = toStatus(this.deps.options.values, { version, startTime: this.startTime, setup, signInProviders });
    return { ...status, footerHtml: await this.cleaner.clean(status.footerHtml) };
  }

  /**
   * Checks the database at most once in ten seconds.
   * @throws AppError SERVICE_UNAVAILABLE
   */
  async test(actor: MaybeActor): Promise<void> {
    requirePermission(actor, 'options');
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

  /** Returns an admin's text: Markdown, HTML or one https URL. Active content is removed. */
  notice(): Promise<string> {
    return this.cleaner.clean(this.deps.options.values.Notice);
  }

  about(): Promise<string> {
    return this.cleaner.clean(this.deps.options.values.About);
  }

  homePageContent(): Promise<string> {
    return this.cleaner.clean(this.deps.options.values.HomePageContent);
  }
}
