import { MoreThanOrEqual, type EntityManager, type Repository } from 'typeorm';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import type { AuditSubject } from '../../shared/audit.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { AuditRecord, type FieldChange } from './audit.entity.js';
import { isSecretField, isWhole, storedText } from './audit.service.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Checks the fields of an object as they are under the lock of the transaction that restores them.
 * @throws AppError CONFLICT
 */
export type VerifyNow = (manager: EntityManager, now: Fields) => Promise<void>;

/** A kind of objects whose changes can be undone. */
export interface Restorable {
  /**
   * Returns the fields that can be restored, as they are now, in the form in which they are audited.
   * @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES
   */
  read(actor: MaybeActor, id: number): Promise<Fields>;
  /**
   * Writes fields in one transaction, with the checks and the audit entry of any other change. It calls `verify` first,
   * with the locked row.
   */
  write(actor: MaybeActor, id: number, fields: Fields, verify: VerifyNow): Promise<unknown>;
  /** Whether a field is a text. The values of others are audited as JSON. */
  isText(field: string): boolean;
  /** Fields that decide where the secrets of the object are sent. */
  readonly destinations?: readonly string[];
}

/** The names of fields after a restore. */
export interface Restored {
  /** Have their former value again. */
  readonly restored: string[];
  /** Keep their value: secrets, and what only the server sets. */
  readonly kept: string[];
}

/** Undoes a change of the audit log: the fields of an entry get the values that they had before it. */
export class RestoreService {
  constructor(
    private readonly entries: Repository<AuditRecord>,
    private readonly nouns: Readonly<Partial<Record<AuditSubject, Restorable>>>,
  ) {}

  /**
   * Secrets are not in the audit log, so they keep their value.
   * @throws AppError NOT_FOUND (the entry, or the object), CONFLICT (a field has changed since, or a key that was
   * meant for the present destination would be sent to the former one), INVALID_INPUT (nothing
   * of the entry can be restored), and what the change of the object throws
   */
  async restore(actor: MaybeActor, entryId: string): Promise<Restored> {
    requirePermission(actor, 'audit');
    const entry = /^\d{1,18}$/.test(entryId) ? await this.entries.findOneBy({ id: entryId }) : null;
    if (!entry) throw new NotFoundError('Audit entry', entryId);
    const noun = this.nouns[entry.subject as AuditSubject];
    if (!noun || entry.action === 'create' || entry.action === 'delete') throw notRestorable();
    const id = Number(entry.subjectId);
    const known = await noun.read(actor, id);
    const changes = entry.changes.filter((change) => isRestorable(change, known));
    const restored = changes.map(({ field }) => field);
    // The entries of a long table are stored as several changes of one field, without those that did not change.
    if (changes.length === 0 || new Set(restored).size < changes.length) throw notRestorable();
    const destination = noun.destinations?.find((field) => restored.includes(field));
    const values = changes.map(({ field, before }) => [field, valueOf(before, noun.isText(field))] as const);
    await noun.write(actor, id, Object.fromEntries(values), async (manager, now) => {
      const later = changes.find(({ field, after }) => storedText(now[field]) !== after);
      if (later) {
        throw new ConflictError(`${later.field} has changed since. Restore the later change first.`, later.field);
      }
      if (destination && (await hasNewSecret(manager, entry))) {
        const problem = 'a key was changed with it or since, and would be sent to the former destination';
        throw new ConflictError(`${destination} cannot be restored: ${problem}`, destination);
      }
    });
    const kept = entry.changes.map(({ field }) => field).filter((field) => !restored.includes(field));
    return { restored, kept };
  }
}

/** Whether a secret of the object was changed by this entry or a later one. */
async function hasNewSecret(manager: EntityManager, { id, subject, subjectId }: AuditRecord): Promise<boolean> {
  const entries = await manager.findBy(AuditRecord, { subject, subjectId, id: MoreThanOrEqual(id) });
  return entries.some(({ changes }) =>
    changes.some(({ field, after }) => isSecretField(field) || (after !== null && !isWhole(after))),
  );
}

const isRestorable = ({ field, before, after }: FieldChange, now: Fields): boolean =>
  Object.hasOwn(now, field) && !isSecretField(field) && [before, after].every((text) => text === null || isWhole(text));

const valueOf = (text: string | null, isText: boolean): unknown =>
  text === null || isText ? text : (JSON.parse(text) as unknown);

const notRestorable = (): InvalidInputError => new InvalidInputError('This change cannot be restored', 'id');
