import { ArgsType, Field, InputType, ObjectType } from 'type-graphql';
import { fields, inputFields, ints, of, text } from '../../platform/graphql/fields.js';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import { listArgs, pageObject } from '../../platform/graphql/pagination.js';
import { drawingActions, type Drawing, type DrawingAction } from './drawing.entity.js';
import { oneOf, taskStatusOf, unknownValue } from './task-list.js';
import { OwnTaskFilterInput, TaskObject, TaskSort } from './task.object.js';

const DrawingActionEnum = enumType(
  'DrawingAction',
  namesOf([...drawingActions, unknownValue]),
  'What a drawing was requested to do.',
  {
    IMAGINE: 'Draws images from a prompt.',
    DESCRIBE: 'Writes prompts for an image.',
    BLEND: 'Mixes several images into one.',
    UPSCALE: 'Enlarges one image of a grid.',
    VARIATION: 'Draws variations of an image.',
    REROLL: 'Draws the images of a prompt again.',
    INPAINT: 'Draws a part of an image again.',
    MODAL: 'Continues a drawing that waits for input.',
    ZOOM: 'Widens the view of an image.',
    CUSTOM_ZOOM: 'Widens the view of an image by a chosen factor.',
    SHORTEN: 'Shows which words of a prompt matter.',
    HIGH_VARIATION: 'Draws strong variations of an image.',
    LOW_VARIATION: 'Draws slight variations of an image.',
    PAN: 'Extends an image to one side.',
    SWAP_FACE: 'Puts a face into another image.',
    UPLOAD: 'Uploads an image for later requests.',
    UNKNOWN: 'An action that the gateway does not know.',
  },
);

/** The provider's response to the submission. */
type DrawingSubmission = 'NOT_SUBMITTED' | 'ACCEPTED' | 'EXISTS' | 'QUEUED' | 'REFUSED';
const submissions: Readonly<Record<number, DrawingSubmission>> = {
  0: 'NOT_SUBMITTED',
  1: 'ACCEPTED',
  21: 'EXISTS',
  22: 'QUEUED',
};

const DrawingSubmissionEnum = enumType(
  'DrawingSubmission',
  namesOf(['NOT_SUBMITTED', 'ACCEPTED', 'EXISTS', 'QUEUED', 'REFUSED']),
  'What the provider responded to the submission of a drawing.',
  {
    NOT_SUBMITTED: 'The provider has not got the request.',
    ACCEPTED: 'The provider took the request.',
    EXISTS: 'The drawing exists already, or it waits for input.',
    QUEUED: 'The provider begins it later.',
    REFUSED: 'The provider refused the request; `description` may say why.',
  },
);

@ObjectType('Drawing', { description: 'An image requested from a Midjourney proxy.' })
export class DrawingObject extends fields(
  {
    action: of<DrawingAction | typeof unknownValue>(() => DrawingActionEnum, 'What was requested.'),
    submission: of<DrawingSubmission>(() => DrawingSubmissionEnum, 'Whether the provider took the request.'),
    prompt: text.orNull('Null: the action has none.'),
    promptEn: text.orNull('The provider’s English translation of the prompt.'),
    description: text.orNull('A message of the provider.'),
    imageUrl: text.orNull('Null: there is no image yet.'),
  },
  TaskObject,
) {}

export const toDrawingObject = (drawing: Drawing): DrawingObject => ({
  id: drawing.id,
  taskId: drawing.mjId || null,
  userId: drawing.userId,
  channelId: drawing.channelId,
  action: oneOf(drawingActions, drawing.action),
  status: taskStatusOf(drawing.status),
  submission: submissions[drawing.code] ?? 'REFUSED',
  progress: drawing.progress,
  prompt: drawing.prompt || null,
  promptEn: drawing.promptEn || null,
  description: drawing.description || null,
  imageUrl: drawing.imageUrl || null,
  failReason: drawing.failReason || null,
  submittedAt: drawing.submitTime,
  startedAt: drawing.startTime,
  finishedAt: drawing.finishTime,
  quota: drawing.quota,
});

export const toOwnDrawingObject = (drawing: Drawing): DrawingObject => ({
  ...toDrawingObject(drawing),
  channelId: null,
});

export const DrawingPage = pageObject(DrawingObject, 'DrawingPage', 'A page of drawings.');

@InputType('OwnDrawingFilter', {
  description: 'Conditions on drawings. All must match. An empty list matches nothing.',
})
export class OwnDrawingFilterInput extends OwnTaskFilterInput {
  @Field(() => [DrawingActionEnum], {
    nullable: true,
    description: 'Only drawings of these kinds. UNKNOWN matches all actions that the gateway does not know.',
  })
  actions?: string[] | null;
}

@InputType('DrawingFilter', { description: 'Conditions on drawings. All must match. An empty list matches nothing.' })
export class DrawingFilterInput extends inputFields(
  {
    userIds: ints.orNull('Only drawings of these users.'),
    channelIds: ints.orNull('Only drawings that these channels got.'),
  },
  OwnDrawingFilterInput,
) {}

@ArgsType()
export class OwnDrawingListArgs extends listArgs(
  OwnDrawingFilterInput,
  TaskSort,
  'Default: newest first. Nulls come last.',
) {}

@ArgsType()
export class DrawingListArgs extends listArgs(
  DrawingFilterInput,
  TaskSort,
  'Default: newest first. Nulls come last.',
) {}
