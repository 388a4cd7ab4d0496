import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import { AuditEntryObject, AuditEntryPage, AuditListArgs, toAuditEntry, toAuditFilter } from './audit.object.js';
import type { AuditService } from './audit.service.js';

@Resolver(() => AuditEntryObject)
export class AuditResolver {
  constructor(private readonly auditService: AuditService) {}

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
}
