import type { Person } from './api.js';

/** One result of a subscription as received. */
export interface StreamResult {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: ReadonlyArray<{ readonly message: string; readonly extensions?: { readonly code?: string } }>;
}

/** Reads one subscription from its socket, for tests of the bytes themselves. */
export class EventReader {
  readonly results: StreamResult[] = [];
  /** Everything received, including comments. */
  text = '';
  completed = false;
  closed = false;
  private readonly woken = new Set<() => void>();

  private constructor(
    readonly status: number,
    private readonly aborter: AbortController,
  ) {}

  static async open(
    url: string,
    person: Person | null,
    query: string,
    variables: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<EventReader> {
    const aborter = new AbortController();
    const response = await fetch(`${url}/graphql/stream`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...(person && { cookie: person.cookie, 'veloera-user': String(person.id) }),
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
      signal: aborter.signal,
    });
    const reader = new EventReader(response.status, aborter);
    void reader.read(response);
    return reader;
  }

  get codes(): string[] {
    return this.results.flatMap(({ errors = [] }) => errors.map(({ extensions }) => extensions?.code ?? ''));
  }

  /** Waits until the condition holds. */
  async until(holds: (reader: this) => boolean, milliseconds = 30_000): Promise<void> {
    const deadline = Date.now() + milliseconds;
    while (!holds(this)) {
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`did not come: ${this.text.slice(0, 2000)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, left);
        const woken = this.woken;
        function done(): void {
          clearTimeout(timer);
          woken.delete(done);
          resolve();
        }
        woken.add(done);
      });
    }
  }

  close(): void {
    this.aborter.abort();
  }

  private async read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of response.body ?? []) {
        this.text += decoder.decode(bytes, { stream: true });
        this.parse();
      }
    } catch {
      // The connection was closed by this reader or by the server; `closed` reports it.
    }
    this.closed = true;
    this.wake();
  }

  private parsed = 0;

  private parse(): void {
    for (let end = this.text.indexOf('\n\n', this.parsed); end >= 0; end = this.text.indexOf('\n\n', this.parsed)) {
      const block = this.text.slice(this.parsed, end);
      this.parsed = end + 2;
      const data = /^event: next\ndata: (.*)$/s.exec(block);
      if (data) this.results.push(JSON.parse(data[1] ?? '') as StreamResult);
      if (block.startsWith('event: complete')) this.completed = true;
    }
    this.wake();
  }

  private wake(): void {
    for (const one of [...this.woken]) one();
  }
}
