import { Arg, Args, Ctx, Int, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { pageQueryOf } from '../../graphql/page.object.js';
import type { Page } from '../../shared/page.js';
import {
  CreativeTaskListArgs,
  type CreativeTaskObject,
  CreativeTaskPage,
  toCreativeTaskFilterOf,
  toCreativeTaskObject,
} from './creative-task.object.js';
import type { CreativeTaskService } from './creative-task.service.js';
import type { DrawingNotifyService } from './drawing-notify.service.js';
import {
  DrawingListArgs,
  type DrawingObject,
  DrawingPage,
  toDrawingFilterOf,
  toDrawingObject,
  toOwnDrawingObject,
} from './drawing.object.js';
import type { DrawingService } from './drawing.service.js';

@Resolver()
export class TaskResolver {
  constructor(
    private readonly drawingService: DrawingService,
    private readonly creativeTaskService: CreativeTaskService,
    private readonly notifyService: DrawingNotifyService,
  ) {}

  @Access('admin')
  @Query(() => DrawingPage, { description: 'Everybody’s, the newest first unless sorted.' })
  async drawings(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => DrawingListArgs) args: DrawingListArgs,
  ): Promise<Page<DrawingObject>> {
    const page = await this.drawingService.list(actor, toDrawingFilterOf(args.filter ?? {}), pageQueryOf(args));
    return { ...page, items: page.items.map(toDrawingObject) };
  }

  @Access('common')
  @Query(() => DrawingPage)
  async myDrawings(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => DrawingListArgs) args: DrawingListArgs,
  ): Promise<Page<DrawingObject>> {
    const page = await this.drawingService.listOwn(actor, toDrawingFilterOf(args.filter ?? {}), pageQueryOf(args));
    return { ...page, items: page.items.map(toOwnDrawingObject) };
  }

  @Access('admin')
  @Query(() => CreativeTaskPage, { description: 'Everybody’s, the newest first unless sorted.' })
  async creativeTasks(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => CreativeTaskListArgs) args: CreativeTaskListArgs,
  ): Promise<Page<CreativeTaskObject>> {
    const filter = toCreativeTaskFilterOf(args.filter ?? {});
    const page = await this.creativeTaskService.list(actor, filter, pageQueryOf(args));
    return { ...page, items: page.items.map(toCreativeTaskObject) };
  }

  @Access('common')
  @Query(() => CreativeTaskPage)
  async myCreativeTasks(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => CreativeTaskListArgs) args: CreativeTaskListArgs,
  ): Promise<Page<CreativeTaskObject>> {
    const filter = toCreativeTaskFilterOf(args.filter ?? {});
    const page = await this.creativeTaskService.listOwn(actor, filter, pageQueryOf(args));
    return { ...page, items: page.items.map(toCreativeTaskObject) };
  }

  @Access('admin', 'WRITE')
  @Query(() => String, {
    description: 'Where a Midjourney proxy tells of the drawings of this channel, while callbacks are on. A secret.',
  })
  drawingNotifyUrl(@Ctx() { actor }: GraphQLContext, @Arg('channelId', () => Int) channelId: number): string {
    return this.notifyService.address(actor, channelId);
  }
}
