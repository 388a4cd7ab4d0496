import { Ctx, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import type { Release, ReleaseService } from './release.service.js';
import { ReleaseObject, StatusObject, toStatusObject } from './status.object.js';
import type { StatusService } from './status.service.js';

@Resolver(() => StatusObject)
export class StatusResolver {
  constructor(
    private readonly statusService: StatusService,
    private readonly releases: ReleaseService,
  ) {}

  @Query(() => StatusObject)
  async status(): Promise<StatusObject> {
    return toStatusObject(await this.statusService.get());
  }

  @Query(() => String, { description: 'Markdown, HTML or one https URL; empty when unset.' })
  notice(): string {
    return this.statusService.notice;
  }

  @Query(() => String, { description: 'Markdown, HTML or one https URL; empty when unset.' })
  about(): string {
    return this.statusService.about;
  }

  @Query(() => String, { description: 'Markdown, HTML or one https URL; empty when unset.' })
  homePageContent(): string {
    return this.statusService.homePageContent;
  }

  @Access('admin')
  @Query(() => ReleaseObject, {
    nullable: true,
    description: 'The newest release, for admins; null when no URL is configured.',
  })
  latestRelease(@Ctx() { actor }: GraphQLContext): Promise<Release | null> {
    return this.releases.latest(actor);
  }
}
