import { Resolver, Root, Subscription } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { deliveryType } from '../../platform/graphql/delivery.object.js';
import { liveSource } from '../../platform/graphql/live-sources.js';
import type { Delivery } from '../../platform/live/mailbox.js';
import type { TaskWatch } from './task-watch.js';
import type { CreativeTask } from './creative-task.entity.js';
import { CreativeTaskObject, toCreativeTaskObject } from './creative-task.object.js';
import type { Drawing } from './drawing.entity.js';
import { DrawingObject, toDrawingObject, toOwnDrawingObject } from './drawing.object.js';

const DrawingsChanged = deliveryType(DrawingObject, 'DrawingsChanged', 'Drawings that were submitted or changed.');
const CreativeTasksChanged = deliveryType(
  CreativeTaskObject,
  'CreativeTasksChanged',
  'Creative tasks that were submitted or changed.',
);

/** Event sources of the subscriptions below. */
export interface TaskSources {
  readonly tasks: TaskWatch;
}

@Resolver()
export class TaskLiveResolver {
  @Access('tasks.read')
  @Subscription(() => DrawingsChanged, {
    description: 'Drawings of all users that were submitted or changed.',
    subscribe: liveSource<TaskSources>(({ live, actor }) => live.tasks.allDrawings(actor)),
  })
  drawingChanged(@Root() { items, missed }: Delivery<Drawing>): Delivery<DrawingObject> {
    return { items: items.map(toDrawingObject), missed };
  }

  @Access('common')
  @Subscription(() => DrawingsChanged, {
    description: 'Own drawings that were submitted or changed.',
    subscribe: liveSource<TaskSources>(({ live, actor }) => live.tasks.ownDrawings(actor)),
  })
  myDrawingChanged(@Root() { items, missed }: Delivery<Drawing>): Delivery<DrawingObject> {
    return { items: items.map(toOwnDrawingObject), missed };
  }

  @Access('tasks.read')
  @Subscription(() => CreativeTasksChanged, {
    description: 'Creative tasks of all users that were submitted or changed.',
    subscribe: liveSource<TaskSources>(({ live, actor }) => live.tasks.allTasks(actor)),
  })
  creativeTaskChanged(@Root() { items, missed }: Delivery<CreativeTask>): Delivery<CreativeTaskObject> {
    return { items: items.map(toCreativeTaskObject), missed };
  }

  @Access('common')
  @Subscription(() => CreativeTasksChanged, {
    description: 'Own creative tasks that were submitted or changed.',
    subscribe: liveSource<TaskSources>(({ live, actor }) => live.tasks.ownTasks(actor)),
  })
  myCreativeTaskChanged(@Root() { items, missed }: Delivery<CreativeTask>): Delivery<CreativeTaskObject> {
    return { items: items.map(toCreativeTaskObject), missed };
  }
}
