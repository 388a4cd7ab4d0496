import { Ctx, Query, Resolver } from 'type-graphql';
import { Access, NotInPanels } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import type { ReleaseService } from './release.service.js';
import { ReleaseObject, StatusObject, toReleaseObject, toStatusObject } from './status.object.js';
import type { StatusService } from './status.service.js';

const pageText = 'Markdown, HTML or one https address. Null: there is none.';

@Resolver(() => StatusObject)
export class StatusResolver {
  constructor(
    private readonly statusService: StatusService,
    private readonly releases: ReleaseService,
  ) {}

  @Query(() => StatusObject, { description: 'Public facts about this site.' })
  async status(): Promise<StatusObject> {
    return toStatusObject(await this.statusService.get());
  }

  @Query(() => String, { nullable: true, description: `The notice of the site: ${pageText}` })
  async notice(): Promise<string | null> {
    return (await this.statusService.notice()) || null;
  }

  @Query(() => String, { nullable: true, description: `The page about the site: ${pageText}` })
  async about(): Promise<string | null> {
    return (await this.statusService.about()) || null;
  }

  @Query(() => String, { nullable: true, description: `The home page: ${pageText}` })
  async homePageContent(): Promise<string | null> {
    return (await this.statusService.homePageContent()) || null;
  }

  @Access('options')
  @NotInPanels()
  @Query(() => ReleaseObject, {
    nullable: true,
    description: 'The newest release. Null: the operator configured no address for it.',
  })
  async latestRelease(@Ctx() { actor }: GraphQLContext): Promise<ReleaseObject | null> {
    const release = await this.releases.latest(actor);
    return release && toReleaseObject(release);
  }
}
