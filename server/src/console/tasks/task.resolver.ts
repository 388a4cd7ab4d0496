import { Arg, Args, Ctx, Int, Query, Resolver } from 'type-graphql';
import { Access, Cost, NotInPanels } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import {
  CreativeTaskListArgs,
  type CreativeTaskObject,
  CreativeTaskPage,
  OwnCreativeTaskListArgs,
  toCreativeTaskObject,
} from './creative-task.object.js';
import type { CreativeTaskService } from './creative-task.service.js';
import type { DrawingNotifyService } from './drawing-notify.service.js';
import {
  DrawingListArgs,
  type DrawingObject,
  DrawingPage,
  OwnDrawingListArgs,
  toDrawingObject,
  toOwnDrawingObject,
} from './drawing.object.js';
import type { DrawingService } from './drawing.service.js';
import { toTaskFilter } from './task.object.js';

@Resolver()
export class TaskResolver {
  constructor(
    private readonly drawingService: DrawingService,
    private readonly creativeTaskService: CreativeTaskService,
    private readonly notifyService: DrawingNotifyService,
  ) {}

  @Access('tasks.read')
  @Cost(1, ['pageSize'])
  @Query(() => DrawingPage, { description: 'Drawings of all users.' })
  async drawings(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => DrawingListArgs) args: DrawingListArgs,
  ): Promise<PageOf<DrawingObject>> {
    const page = await this.drawingService.list(actor, toTaskFilter(args.filter ?? {}), listQueryOf(args));
    return PageOf.from(page, toDrawingObject);
  }

  @Access('common')
  @Cost(1, ['pageSize'])
  @Query(() => DrawingPage, { description: 'Own drawings.' })
  async myDrawings(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => OwnDrawingListArgs) args: OwnDrawingListArgs,
  ): Promise<PageOf<DrawingObject>> {
    const page = await this.drawingService.listOwn(actor, toTaskFilter(args.filter ?? {}), listQueryOf(args));
    return PageOf.from(page, toOwnDrawingObject);
  }

  @Access('tasks.read')
  @Cost(1, ['pageSize'])
  @Query(() => CreativeTaskPage, { description: 'Creative tasks of all users.' })
  async creativeTasks(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => CreativeTaskListArgs) args: CreativeTaskListArgs,
  ): Promise<PageOf<CreativeTaskObject>> {
    const page = await this.creativeTaskService.list(actor, toTaskFilter(args.filter ?? {}), listQueryOf(args));
    return PageOf.from(page, toCreativeTaskObject);
  }

  @Access('common')
  @Cost(1, ['pageSize'])
  @Query(() => CreativeTaskPage, { description: 'Own creative tasks.' })
  async myCreativeTasks(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => OwnCreativeTaskListArgs) args: OwnCreativeTaskListArgs,
  ): Promise<PageOf<CreativeTaskObject>> {
    const page = await this.creativeTaskService.listOwn(actor, toTaskFilter(args.filter ?? {}), listQueryOf(args));
    return PageOf.from(page, toCreativeTaskObject);
  }

  @Access('channels.secrets', 'KEYS_READ')
  @NotInPanels()
  @Query(() => String, {
    description:
      'The address to which a Midjourney proxy reports drawings of this channel, while callbacks are on. It contains a secret.',
  })
  drawingNotifyUrl(
    @Ctx() { actor }: GraphQLContext,
    @Arg('channelId', () => Int, { description: '`Channel.id`.' }) channelId: number,
  ): string {
    return this.notifyService.address(actor, channelId);
  }
}
