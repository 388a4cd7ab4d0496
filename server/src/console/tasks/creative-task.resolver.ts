import { FieldResolver, Resolver, Root } from 'type-graphql';
import { Cost, NotInPanels } from '../../platform/graphql/access.js';
import { CreativeTaskObject } from './creative-task.object.js';
import type { VideoLinks } from './video-link.js';

/** Fields of creative tasks that need more than the row. */
@Resolver(() => CreativeTaskObject)
export class CreativeTaskFields {
  constructor(private readonly links: VideoLinks) {}

  @Cost(0)
  @NotInPanels()
  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Path on this server from which the video can be read for an hour, without an API key. Null: no finished video, or a deleted one.',
  })
  contentUrl(@Root() task: CreativeTaskObject): string | null {
    const status = task.status === 'SUCCESS' ? 'SUCCESS' : '';
    const { platform, properties } = task;
    return this.links.of({ platform, status, properties, taskId: task.taskId ?? '' });
  }
}
