import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import type { User } from '../../billing/accounts/index.js';
import { CheckImportInput, SiteImportObject, ImportPayload, toChoices, toSiteImport } from './import.object.js';
import type { ImportService, ImportView } from './import.service.js';
import { UserObject } from '../../console/users/user.object.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';

/** Imports from another program. A file is uploaded at `POST /api/import/file`. */
@Resolver()
export class ImportResolver {
  constructor(private readonly service: ImportService) {}

  @Access('root')
  @Query(() => SiteImportObject, { description: 'Import from another program, and how far it is.' })
  async siteImport(@Ctx() { actor }: GraphQLContext): Promise<SiteImportObject> {
    return toSiteImport(await this.service.view(actor));
  }

  @Access('root')
  @Mutation(() => ImportPayload, { description: 'Begins a dry run, which writes nothing.' })
  async checkImport(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CheckImportInput, { description: 'The source, and how it is moved.' })
    { choices, ...source }: CheckImportInput,
  ): Promise<{ siteImport: SiteImportObject }> {
    const { connection = null, logConnection = null, keysConnection = null, environment = null } = source;
    const given = { connection, logConnection, keysConnection, environment };
    return shown(await this.service.check(actor, given, toChoices(choices)));
  }

  @Access('root')
  @PayloadMutation(
    {
      siteImport: [() => SiteImportObject, 'The import, which goes on after the response.'],
      user: [() => UserObject, 'The caller. Root gets an id that no user of the source has.'],
    },
    'Begins or continues the move of a checked source.',
  )
  async startImport(@Ctx() { actor }: GraphQLContext): Promise<{ siteImport: SiteImportObject; user: User }> {
    const { user, ...view } = await this.service.start(actor);
    return { ...shown(view), user };
  }

  @Access('root')
  @Mutation(() => ImportPayload, { description: 'Stops a dry run or a move. What was moved stays.' })
  async cancelImport(@Ctx() { actor }: GraphQLContext): Promise<{ siteImport: SiteImportObject }> {
    return shown(await this.service.cancel(actor));
  }

  @Access('root')
  @Mutation(() => ImportPayload, { description: 'Forgets the source and deletes the uploaded file.' })
  async discardImport(@Ctx() { actor }: GraphQLContext): Promise<{ siteImport: SiteImportObject }> {
    return shown(await this.service.discard(actor));
  }
}

const shown = (view: ImportView): { siteImport: SiteImportObject } => ({ siteImport: toSiteImport(view) });
