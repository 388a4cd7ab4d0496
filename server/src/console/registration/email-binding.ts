import type { Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import { administers, requireConfirmed, requireSession, type MaybeActor } from '../../shared/actor.js';
import type { AuditLog } from '../../shared/audit.js';
import type { AuthService } from '../sign-in/index.js';
import type { SessionService } from '../auth/index.js';
import { emailChangedLetter } from '../../platform/mail/letters.js';
import type { Mailer } from '../../platform/mail/mailer.js';
import type { OptionValues } from '../../options/option.service.js';
import { User } from '../../billing/accounts/index.js';
import { toConflict } from '../users/index.js';
import type { EmailCodeService } from './email-code.service.js';

export interface EmailBindingDeps {
  readonly users: Repository<User>;
  readonly auth: AuthService;
  readonly sessions: Pick<SessionService, 'assertNotEnded'>;
  readonly codes: EmailCodeService;
  readonly changes: Changes;
  readonly mailer: Pick<Mailer, 'send'>;
  readonly auditLog: AuditLog;
  readonly options: { readonly values: OptionValues };
}

/**
 * Binds a verified e-mail address to an account. The former address gets a notice, and a change by an admin gets an
 * audit entry.
 */
export class EmailBinding {
  constructor(private readonly deps: EmailBindingDeps) {}

  /**
   * @throws AppError RATE_LIMITED, INVALID_INPUT (the same text for every wrong code), CONFLICT (address taken
   * meanwhile), NOT_SIGNED_IN (the session was ended meanwhile), CONFIRMATION_NEEDED, INSUFFICIENT_PRIVILEGES (an access
   * token): a new password could be mailed there
   */
  async bind(actor: MaybeActor, address: string, code: string, ip: string): Promise<void> {
    const { users, auth, sessions, codes, changes, mailer, auditLog, options } = this.deps;
    await auth.limitCritical(ip);
    const self = requireSession(actor, 'bind an e-mail address');
    requireConfirmed(self);
    const email = await codes.verify(address, code.slice(0, 50));
    let former = '';
    try {
      await users.manager.transaction(async (manager) => {
        await sessions.assertNotEnded(manager, self);
        former = (await manager.findOneByOrFail(User, { id: self.id })).email;
        await manager.update(User, { id: self.id }, { email });
        if (administers(self)) {
          const change = { action: 'update', subject: 'user', id: self.id } as const;
          await auditLog.write(manager, self, { ...change, before: { email: former }, after: { email } });
        }
        await codes.consume(email, code);
      });
    } catch (error) {
      throw toConflict(error);
    }
    await changes.announce({ kind: 'user', id: self.id });
    if (former === '' || former.toLowerCase() === email.toLowerCase()) return;
    // The mailer logs a failure. The new address is valid in any case.
    mailer.send({ to: former, ...emailChangedLetter(options.values.SystemName) }).catch(() => undefined);
  }
}
