import { Query, Resolver } from 'type-graphql';
import { StatusObject, toStatusObject } from './status.object.js';
import type { StatusService } from './status.service.js';

@Resolver(() => StatusObject)
export class StatusResolver {
  constructor(private readonly statusService: StatusService) {}

  @Query(() => StatusObject)
  async status(): Promise<StatusObject> {
    return toStatusObject(await this.statusService.get());
  }

  @Query(() => String, { description: 'Markdown, HTML or one https address; empty when there is none.' })
  notice(): string {
    return this.statusService.notice;
  }

  @Query(() => String, { description: 'Markdown, HTML or one https address; empty when there is none.' })
  about(): string {
    return this.statusService.about;
  }

  @Query(() => String, { description: 'Markdown, HTML or one https address; empty when there is none.' })
  homePageContent(): string {
    return this.statusService.homePageContent;
  }
}
