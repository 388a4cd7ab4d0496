import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { pageQueryOf } from '../../graphql/page.object.js';
import type { Page } from '../../shared/page.js';
import type { AuditRecord } from './audit.entity.js';
import { AuditEntryObject, AuditEntryPage, AuditListArgs } from './audit.object.js';
import type { AuditService } from './audit.service.js';

@Resolver(() => AuditEntryObject)
export class AuditResolver {
  constructor(private readonly auditService: AuditService) {}

  @Access('root')
  @Query(() => AuditEntryPage, { description: 'What admins changed, newest first. For root.' })
  auditEntries(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => AuditListArgs) args: AuditListArgs,
  ): Promise<Page<AuditRecord>> {
    return this.auditService.list(actor, args.filter ?? {}, pageQueryOf(args));
  }
}
