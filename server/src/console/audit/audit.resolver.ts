import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { loadFor } from '../../platform/graphql/loaders.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import { AuditEntryObject, AuditEntryPage, AuditListArgs, toAuditEntry, toAuditFilter } from './audit.object.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';
import { isNamed, type AuditService } from './audit.service.js';
import type { Restored, RestoreService } from './restore.service.js';

@Resolver(() => AuditEntryObject)
export class AuditResolver {
  constructor(
    private readonly auditService: AuditService,
    private readonly restoreService: RestoreService,
  ) {}

  @Access('audit')
  @Cost(1, ['pageSize'])
  @Query(() => AuditEntryPage, { description: 'Changes by admins.' })
  async auditEntries(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => AuditListArgs) args: AuditListArgs,
  ): Promise<PageOf<AuditEntryObject>> {
    const page = await this.auditService.list(actor, toAuditFilter(args.filter ?? {}), listQueryOf(args));
    return PageOf.from(page, toAuditEntry);
  }

  @Access('audit')
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Name of the user, channel or API key now. Null: it was deleted, or another kind of object.',
  })
  async subjectName(
    @Root() { subject, subjectId }: AuditEntryObject,
    @Ctx() context: GraphQLContext,
  ): Promise<string | null> {
    const id = Number(subjectId);
    if (!isNamed(subject) || !Number.isSafeInteger(id)) return null;
    const read = (ids: readonly number[]) => this.auditService.namesOf(context.actor, subject, ids);
    return loadFor(context, this.auditService, { name: `names of ${subject}`, scope: 'ADMIN_READ' }, id, read);
  }

  @PayloadMutation(
    {
      restored: [() => [String], 'Fields that have their value before the change again.'],
      kept: [() => [String], 'Fields that keep their value: secrets, and what only the server sets.'],
    },
    'Undoes a change of a channel, a user or an API key: CONFLICT when one of its fields has changed since. Secrets are not in the audit log and keep their value. Changes of settings, balances and roles are INVALID_INPUT.',
  )
  @Access('audit')
  restoreAuditEntry(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => ID, { description: '`AuditEntry.id`.' }) id: string,
  ): Promise<Restored> {
    return this.restoreService.restore(actor, id);
  }
}
