import { json } from './replies.js';
import type { Reply, Upstream } from './upstream.js';

export type ReportedTask = Record<string, unknown>;

/** The tasks of a scripted provider: the test can change the state of each at any time. */
export class ScriptedTasks {
  /** Tasks by name. The provider does not know a task that is absent. */
  readonly reported = new Map<string, ReportedTask>();
  private count = 0;

  nextName(prefix: string): string {
    return `${prefix}-${++this.count}`;
  }
}

const idsOf = (body: Record<string, unknown> | null): string[] =>
  Array.isArray(body?.ids) ? (body.ids as string[]) : [];

/** Turns an upstream into a Midjourney proxy that accepts everything. */
export function scriptMidjourney(upstream: Upstream, tasks: ScriptedTasks): void {
  const take: Reply = (response, request) =>
    json({ code: 1, description: 'Submit success', result: tasks.nextName('mj'), properties: {} })(response, request);
  const list: Reply = (response, request) =>
    json(idsOf(request.body).flatMap((id) => reported(tasks, 'id', id)))(response, request);
  upstream.script({ path: '/mj/submit' }, take);
  upstream.script({ path: '/mj/insight-face' }, take);
  upstream.script({ path: '/mj/task/list-by-condition' }, list);
}

/** Turns an upstream into a Suno proxy that accepts everything. */
export function scriptSuno(upstream: Upstream, tasks: ScriptedTasks): void {
  upstream.script({ path: '/suno/submit' }, (response, request) =>
    json({ code: 'success', message: '', data: tasks.nextName('suno') })(response, request),
  );
  upstream.script({ path: '/suno/fetch' }, (response, request) =>
    json({ code: 'success', message: '', data: idsOf(request.body).flatMap((id) => reported(tasks, 'task_id', id)) })(
      response,
      request,
    ),
  );
}

function reported(tasks: ScriptedTasks, name: string, id: string): ReportedTask[] {
  const task = tasks.reported.get(id);
  return task ? [{ [name]: id, ...task }] : [];
}
