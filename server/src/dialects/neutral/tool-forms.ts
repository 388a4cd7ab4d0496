import { createHash } from 'node:crypto';
import { ofEachObject } from '../../shared/of-each-object.js';
import type { NeutralAnswer } from './answer.js';
import type { AnswerContext, ClientCodec, StreamWriter } from './codec.js';
import type { Dialect } from './dialect.js';
import type { NeutralEvent } from './event.js';
import { asFields, asText, parseFields, someText, type Fields } from './fields.js';
import type { NeutralMessage, Part, ToolCallPart } from './message.js';
import type { NeutralRequest, NeutralTool, ToolChoice } from './request.js';
import { hasTypedChoices, withTypedChoices } from './typed-choices.js';
import { inverted, renameFields, withFieldNames, type FieldNames } from './tool-fields.js';

/** A tool as the client declared it. */
export interface ToolForm {
  readonly name: string;
  readonly namespace?: string;
  /** Whether the tool accepts plain text instead of JSON. */
  readonly custom?: boolean;
  /** The client's names of fields, by the names that the provider gets. */
  readonly fields?: FieldNames;
  /** The schema of the parameters, whose choices the provider knows as texts. */
  readonly choices?: Fields;
}

/** Forms of a call's tools, by the name that the provider gets. Tools that are the same on both sides are left out. */
export type ToolForms = ReadonlyMap<string, ToolForm>;

const anyName = /^/;
/** OpenAI accepts names of up to 64 characters. */
const maxName = 64;
const plainName = /^[\w-]{1,64}$/;

/**
 * Names of functions that providers of each dialect accept. Names that Anthropic and Google accept may be refused by
 * the others.
 */
const takenNames: Readonly<Record<Dialect | 'own', RegExp>> = {
  'openai-chat': plainName,
  'openai-responses': plainName,
  'anthropic-messages': /^[\w-]{1,128}$/,
  'gemini-generate': /^[A-Za-z_][\w.:-]{0,63}$/,
  own: plainName,
};
/**
 * Names of fields that Claude accepts. It refuses the whole call for any other name. The other providers accept any
 * name.
 */
const takenFields = /^[\w.-]{1,64}$/;
const inputField = 'input';

/** The provider for which tools are rewritten. */
export interface ToolTaker {
  readonly dialect: Dialect | 'own';
  /** Whether the provider accepts tools with plain text input. */
  readonly customTools: boolean;
  /** Whether the client's names are kept, for a body that is not yet written for a provider. */
  readonly keepsNames?: boolean;
}

/** How calls in the history are rewritten. */
interface Rules {
  readonly takesCustom: boolean;
  /** The names that the provider accepts. */
  readonly taken: RegExp;
  /** Tool name at the provider → new names of fields by the client's names. */
  readonly fields: ReadonlyMap<string, FieldNames>;
}

/**
 * Rewrites tools that exist only in the client's dialect. A tool of a name space gets one flat name. Names of tools and
 * fields that the provider refuses are replaced. A tool that accepts plain text becomes a function with one text field.
 * Calls and results in the history change accordingly.
 */
export function flattenTools(
  request: NeutralRequest,
  { dialect, customTools: takesCustom, keepsNames = false }: ToolTaker,
): { request: NeutralRequest; forms: ToolForms } {
  const forms = new Map<string, ToolForm>();
  const fields = new Map<string, FieldNames>();
  // A provider of the client's dialect accepts or refuses the client's names itself.
  const taken = keepsNames || dialect === request.dialect ? anyName : takenNames[dialect];
  const writesTexts = dialect === 'gemini-generate' && request.dialect !== dialect;
  const renamesFields = dialect === 'anthropic-messages' && request.dialect !== dialect;
  const tools = request.tools.map((given): NeutralTool => {
    const { tool, form, renamed } = flattenTool(given, taken, takesCustom, writesTexts, renamesFields);
    if (form) forms.set(tool.name, form);
    if (renamed) fields.set(tool.name, renamed);
    return tool;
  });
  const rules = { takesCustom, taken, fields };
  const isForeign = (part: Part): boolean =>
    (part.kind === 'toolCall' &&
      (part.namespace !== undefined ||
        !taken.test(part.name) ||
        fields.has(part.name) ||
        (part.custom === true && !takesCustom))) ||
    (part.kind === 'toolResult' &&
      ((part.custom === true && !takesCustom) || (part.name !== undefined && !taken.test(part.name))));
  const messages = request.messages.some(({ parts }) => parts.some(isForeign))
    ? request.messages.map((message) => (message.parts.some(isForeign) ? flattened(message, rules) : message))
    : request.messages;
  if (forms.size === 0 && messages === request.messages) return { request, forms };
  return {
    request: { ...request, tools, messages, toolChoice: flattenChoice(request.toolChoice, forms, takesCustom) },
    forms,
  };
}

interface FlatTool {
  readonly tool: NeutralTool;
  /** Absent if the tool is the same on both sides. */
  readonly form?: ToolForm;
  /** New names of fields by the client's names. */
  readonly renamed?: FieldNames;
}

const flattenTool = ofEachObject(
  (tool: NeutralTool, taken: RegExp, takesCustom: boolean, writesTexts: boolean, renamesFields: boolean): FlatTool => {
    if (tool.kind === 'builtin') return { tool };
    const name = flatName(tool, taken);
    const choices =
      writesTexts && tool.kind === 'function' && hasTypedChoices(tool.parameters) ? tool.parameters : null;
    const becomesFunction = tool.kind === 'custom' && !takesCustom;
    const renamed = renamesFields && tool.kind === 'function' ? renameFields(tool.parameters, takenFields) : null;
    if (!becomesFunction && !renamed && !choices && name === tool.name && tool.namespace === undefined) return { tool };
    const form = {
      ...formOf(tool, tool.kind === 'custom'),
      ...(renamed ? { fields: renamed.names } : {}),
      ...(choices ? { choices } : {}),
    };
    if (tool.kind === 'custom' && !takesCustom) return { tool: toFunction({ ...tool, name }), form };
    const { namespace: _namespace, ...rest } = tool;
    return {
      tool: { ...rest, name, ...(renamed ? { parameters: renamed.parameters } : {}) },
      form,
      ...(renamed ? { renamed: inverted(renamed.names) } : {}),
    };
  },
);

const formOf = ({ name, namespace }: ToolForm, custom: boolean): ToolForm => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
  ...(custom ? { custom } : {}),
});

/** @param taken the names that the provider accepts */
function flatName({ name, namespace }: ToolForm, taken: RegExp): string {
  const flat = namespace === undefined ? name : namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`;
  if (taken.test(flat) && (namespace === undefined || flat.length <= maxName)) return flat;
  const hash = createHash('sha256').update(flat).digest('hex').slice(0, 12);
  const safe = flat.replace(/[^\w-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  return `${safe.slice(0, maxName - hash.length - 1)}_${hash}`;
}

function toFunction({ name, description, format, at }: Extract<NeutralTool, { kind: 'custom' }>): NeutralTool {
  const definition = asText(format?.['definition']);
  const grammar =
    definition === '' ? '' : `The input follows this ${asText(format?.['syntax']) || 'formal'} grammar:\n${definition}`;
  const text = [description ?? '', grammar].filter(Boolean).join('\n\n');
  return {
    kind: 'function',
    name,
    ...(text === '' ? {} : { description: text }),
    parameters: {
      type: 'object',
      properties: { [inputField]: { type: 'string', description: 'The whole input as plain text' } },
      required: [inputField],
      additionalProperties: false,
    },
    ...(at === undefined ? {} : { at }),
  };
}

/** Messages whose fields have other names are written anew, because these names depend on the tools of the call. */
const flattened = (message: NeutralMessage, rules: Rules): NeutralMessage =>
  rules.fields.size > 0 ? flattenMessage(message, rules) : flattenNames(message, rules.taken, rules.takesCustom);

const flattenNames = ofEachObject((message: NeutralMessage, taken: RegExp, takesCustom: boolean) =>
  flattenMessage(message, { taken, takesCustom, fields: new Map() }),
);

const flattenMessage = (message: NeutralMessage, rules: Rules): NeutralMessage => ({
  ...message,
  parts: message.parts.map((part): Part => {
    if (part.kind === 'toolCall') return flattenCall(part, rules);
    if (part.kind !== 'toolResult') return part;
    const { takesCustom, taken } = rules;
    const { custom, name, ...rest } = part;
    return {
      ...rest,
      ...(custom && takesCustom ? { custom } : {}),
      ...(name === undefined ? {} : { name: flatName({ name }, taken) }),
    };
  }),
});

function flattenCall(
  { custom, namespace, ...rest }: ToolCallPart,
  { takesCustom, taken, fields }: Rules,
): ToolCallPart {
  const name = flatName({ name: rest.name, namespace }, taken);
  const names = fields.get(name);
  const call = { ...rest, name, ...(names ? { arguments: withFieldNames(rest.arguments, names) } : {}) };
  if (!custom) return call;
  return takesCustom ? { ...call, custom } : { ...call, arguments: JSON.stringify({ [inputField]: rest.arguments }) };
}

function flattenChoice(choice: ToolChoice | undefined, forms: ToolForms, takesCustom: boolean): ToolChoice | undefined {
  const flat = (name: string): string => {
    for (const [flatten, form] of forms) if (form.name === name) return flatten;
    return name;
  };
  if (choice?.mode === 'allowed') return { ...choice, names: choice.names.map(flat) };
  if (choice?.mode !== 'tool') return choice;
  const { custom, ...rest } = choice;
  return { ...rest, name: flat(choice.name), ...(custom && takesCustom ? { custom } : {}) };
}

/** Returns the client codec with responses that name tools as the client declared them. */
export function withToolForms(client: ClientCodec, forms: () => ToolForms): ClientCodec {
  return {
    dialect: client.dialect,
    parse: (call) => client.parse(call),
    toAnswer: (answer, context) => client.toAnswer(restoreAnswer(answer, forms()), context),
    openWriter: (context: AnswerContext) =>
      forms().size === 0 ? client.openWriter(context) : new RestoringWriter(client.openWriter(context), forms()),
  };
}

function restoreAnswer(answer: NeutralAnswer, forms: ToolForms): NeutralAnswer {
  if (forms.size === 0) return answer;
  const restore = (part: Part): Part => {
    const found = part.kind === 'toolCall' ? forms.get(part.name) : undefined;
    if (part.kind !== 'toolCall' || !found) return part;
    const { fields: _fields, choices: _choices, ...form } = found;
    return { ...part, ...form, ...(isHeld(found, part) ? { arguments: restoreArguments(part.arguments, found) } : {}) };
  };
  return {
    ...answer,
    choices: answer.choices.map((choice) => ({ ...choice, parts: choice.parts.map(restore) })),
  };
}

/** Whether the arguments of a call differ from those that the client expects. */
const isHeld = ({ fields, choices, custom }: ToolForm, called: { readonly custom?: boolean }): boolean =>
  fields !== undefined || choices !== undefined || (custom === true && !called.custom);

const restoreArguments = (text: string, { fields, choices }: ToolForm): string => {
  if (choices) return withTypedChoices(text, choices);
  return fields ? withFieldNames(text, fields) : plainInput(text);
};

/** Returns the text in the one field. If a model writes something else, its input is returned unchanged. */
function plainInput(text: string): string {
  const fields = parseFields(text);
  if (!fields) return text;
  const [only, ...more] = Object.values(fields);
  return someText(fields[inputField]) ?? (more.length === 0 && typeof only === 'string' ? only : text);
}

/**
 * Restores names as calls begin. Input of tools that accept text, or whose fields were renamed, is sent when its JSON
 * is complete.
 */
class RestoringWriter implements StreamWriter {
  private readonly held = new Map<string, { choice: number; index: number; text: string; found: ToolForm }>();

  constructor(
    private readonly writer: StreamWriter,
    private readonly forms: ToolForms,
  ) {}

  push(events: readonly NeutralEvent[]): string {
    const restored = events.flatMap((event) => this.restore(event));
    return restored.length === 0 ? '' : this.writer.push(restored);
  }

  end(): string {
    const rest = [...this.held.keys()].flatMap((key) => this.release(key));
    return (rest.length === 0 ? '' : this.writer.push(rest)) + this.writer.end();
  }

  closing(usage: Parameters<StreamWriter['closing']>[0]): string {
    return this.writer.closing(usage);
  }

  private restore(event: NeutralEvent): NeutralEvent[] {
    switch (event.kind) {
      case 'toolStart': {
        const found = this.forms.get(event.name);
        if (!found) return [event];
        const { choice, index } = event;
        const { fields: _fields, choices: _choices, ...form } = found;
        if (isHeld(found, event)) this.held.set(keyOf(event), { choice, index, text: '', found });
        return [{ ...event, ...form }];
      }
      case 'toolDelta': {
        const held = this.held.get(keyOf(event));
        if (!held) return [event];
        held.text += event.text;
        return [];
      }
      case 'toolEnd':
        return [...this.release(keyOf(event)), event];
      case 'finish':
        return [...[...this.held.keys()].flatMap((key) => this.release(key)), event];
      default:
        return [event];
    }
  }

  private release(key: string): NeutralEvent[] {
    const held = this.held.get(key);
    this.held.delete(key);
    if (!held) return [];
    const { choice, index, text, found } = held;
    return [{ kind: 'toolDelta', choice, index, text: restoreArguments(text, found) }];
  }
}

const keyOf = ({ choice, index }: { readonly choice: number; readonly index: number }): string => `${choice}:${index}`;

/** Whether a body declares a tool that takes plain text, in the form of chat completions. */
export const declaresCustomTools = ({ tools }: Readonly<Record<string, unknown>>): boolean =>
  Array.isArray(tools) && tools.some((tool) => asFields(tool)?.['type'] === 'custom');
